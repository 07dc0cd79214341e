// Observes one CPU for the bank: the module's status of it, and whether tacho and the workload
// still run on it.
#pragma once

#include <chrono>

#include "pmu/registers/module_status.hpp"
#include "pmu/registers/observer.hpp"

namespace tacho::arm {

class CpuObserver final : public Observer {
 public:
  // How often the workload's descendants are checked. The workload itself is checked at each look.
  static constexpr std::chrono::milliseconds kFamilyEvery{20};

  CpuObserver(StatusFile file, int cpu) : file_(std::move(file)), cpu_(cpu) {}

  Observation look() override;
  // Binds the process to the CPU.
  Result<void> follow(pid_t pid) override;

 private:
  using Clock = std::chrono::steady_clock;

  Observation look_at_module();
  Observation look_at_own_place() const;
  std::optional<std::string> look_at_workload();

  StatusFile file_;
  int cpu_;
  std::optional<std::uint64_t> disturbed_;  // at the last look
  pid_t workload_ = 0;
  Clock::time_point family_seen_;
};

}  // namespace tacho::arm
