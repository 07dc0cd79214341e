// Notices the CPUs that go offline and come back while they are counted. The kernel takes a CPU's
// events away for good when it goes offline, and tells nobody in a way that reaches every container
// (uevents stay in the first network namespace): so one has to look. The list of CPUs that are
// online is not enough: a suspended machine takes its CPUs away and back while nobody can look.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace tacho {

struct CpuChange {
  int cpu = 0;
  bool was_online = false;  // at the last look
  bool is_online = false;   // was and is: it has been away in between
};

class CpuWatch {
 public:
  // Starts with the CPUs that are online now. `online` lists them.
  explicit CpuWatch(const std::string& online = "/sys/devices/system/cpu/online");

  // What has changed since the last look, by CPU. A system call, and one for each CPU, none of
  // which disturbs that CPU.
  std::vector<CpuChange> look();

  // Places a sentinel on each CPU that came, by which a later look finds that it has been away even
  // if it is back. To be called when its counters are open: they need the descriptors more.
  void guard();

 private:
  // Two events in a group, that never count. When the CPU goes, the kernel takes the group apart.
  // Empty where it could not be opened: then the list alone must do.
  struct Sentinel {
    Fd leader;
    Fd sibling;
    bool relieved() const;
  };

  std::vector<int> listed() const;

  Fd list_;
  std::map<int, Sentinel> watched_;
};

}  // namespace tacho
