// Notices CPUs that go offline or come online during counting. When a CPU goes offline, the kernel
// removes its events for good. It sends no notice that reaches every container (uevents stay in the
// first network namespace), so tacho has to look. The list of online CPUs is not enough: a
// suspended machine takes its CPUs offline and online while no process can look.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace tacho {

struct CpuChange {
  int cpu = 0;
  bool was_online = false;  // at the last look
  bool is_online = false;   // now; if both are true, it was offline in between
};

class CpuWatch {
 public:
  // Starts with the CPUs that are online now. `online` is the file that lists them.
  explicit CpuWatch(const std::string& online = "/sys/devices/system/cpu/online");

  // The changes since the last look, sorted by CPU. Makes one system call, and one for each CPU;
  // they do not disturb the CPUs.
  std::vector<CpuChange> look();

  // Opens a sentinel on each CPU that came online. By it, a later look notices that the CPU has
  // been offline, even if it is online again. To be called after the CPU's counters are opened,
  // which need the descriptors first.
  void guard();

 private:
  // A group of two events that never count. When the CPU goes offline, the kernel splits the group.
  // Empty if it could not be opened; then only the list is used.
  struct Sentinel {
    Fd leader;
    Fd sibling;
    bool was_split() const;
  };

  std::vector<int> listed() const;

  Fd list_;
  std::map<int, Sentinel> watched_;
};

}  // namespace tacho
