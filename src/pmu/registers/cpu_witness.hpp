// Watches one CPU for the bank: what the module says of it, that tacho is still there, and that the
// workload is.
#pragma once

#include <chrono>

#include "pmu/registers/bank.hpp"
#include "pmu/registers/status.hpp"

namespace tacho::arm {

class CpuWitness final : public Witness {
 public:
  // How often a workload's descendants are looked for; itself it is looked at each time.
  static constexpr std::chrono::milliseconds kFamilyEvery{20};

  CpuWitness(StatusFile file, int cpu) : file_(std::move(file)), cpu_(cpu) {}

  Testimony look() override;
  // Pins it.
  Result<void> follow(pid_t pid) override;

 private:
  using Clock = std::chrono::steady_clock;

  Testimony look_at_module();
  Testimony look_at_own_place() const;
  std::optional<std::string> look_at_workload();

  StatusFile file_;
  int cpu_;
  std::optional<std::uint64_t> disturbed_;  // at the last look
  pid_t workload_ = 0;
  Clock::time_point family_seen_;
};

}  // namespace tacho::arm
