// The regions of a running process: turns them on and off, and reads a report. It works through
// /proc/PID/mem, so the kernel decides who may: who may trace the process (ptrace(2)).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "caliper/region_control.hpp"

namespace tacho {

class RunningProcess {
 public:
  // Fails if there is no such process, if it may not be traced, or if it has no regions that can be
  // turned on.
  static Result<RunningProcess> open(pid_t pid);

  // Asks for regions to be on or off. They are when the process begins its next region.
  Result<void> turn(bool on);

  // The lines of a report (region_lines.hpp). The process makes it when it begins its next region.
  // Fails if it begins none within that time.
  Result<std::string> report(std::chrono::milliseconds patience);

  const std::string& name() const { return name_; }

 private:
  // A copy of the library in the process. There can be several.
  struct Copy {
    std::uint64_t address = 0;
    caliper::RegionControl control;
  };

  RunningProcess(pid_t pid, std::string name, Fd memory)
      : pid_(pid), name_(std::move(name)), memory_(std::move(memory)) {}
  Result<void> find_copies(const std::string& maps);
  void find_copies_in(std::uint64_t begin, std::uint64_t end);
  Result<void> ask(const Copy& copy, std::uint32_t request, std::uint32_t instead_of);
  Result<std::string> report_after(const caliper::RegionControl& before, const Copy& copy,
                                   std::uint64_t most) const;
  Result<caliper::RegionControl> control_of(const Copy& copy) const;
  std::string named() const;
  std::unexpected<Error> ended() const;

  pid_t pid_;
  std::string name_;
  Fd memory_;
  std::vector<Copy> copies_;
};

}  // namespace tacho
