#include "pmu/registers/cpu_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/process_tree.hpp"
#include "pmu/registers/pinning.hpp"
#include "pmu/targets.hpp"

namespace tacho::arm {

Observer::Observation CpuObserver::look() {
  Observation seen = look_at_module();
  const Observation own = look_at_own_place();
  seen.clear = seen.clear && own.clear;
  if (!seen.trouble) seen.trouble = own.trouble;
  if (!seen.trouble) seen.trouble = look_at_workload();
  return seen;
}

Result<void> CpuObserver::follow(pid_t pid) {
  workload_ = pid;
  return pin(pid, cpu_);
}

Observer::Observation CpuObserver::look_at_module() {
  const auto status = file_.read();
  if (!status) return {.trouble = status.error().what, .clear = false};
  if (const auto objects = objection(*status, cpu_))
    return {.trouble = objects->what, .clear = false};
  const std::uint64_t disturbed = status->of(cpu_)->disturbed;
  const std::uint64_t before = std::exchange(disturbed_, disturbed).value_or(disturbed);
  if (before == disturbed) return {};
  return {.trouble = "perf used the counters, or undid the module's setting"};
}

// If the CPU goes offline, the kernel moves its processes to others and drops their binding.
Observer::Observation CpuObserver::look_at_own_place() const {
  if (!may_leave(0, cpu_)) return {};
  return {.trouble = fmt::format("tacho was moved away from CPU {}", cpu_),
          .clear = pin(0, cpu_).has_value()};
}

std::optional<std::string> CpuObserver::look_at_workload() {
  if (workload_ == 0) return std::nullopt;
  bool left = may_leave(workload_, cpu_);
  const auto now = Clock::now();
  if (!left && now >= family_seen_ + kFamilyEvery) {
    family_seen_ = now;
    for (const pid_t member : process_tree(workload_)) {
      const auto threads = threads_of(member).value_or(std::vector<pid_t>());
      left = left ||
             std::ranges::any_of(threads, [this](pid_t thread) { return may_leave(thread, cpu_); });
    }
  }
  if (!left) return std::nullopt;
  return fmt::format("the workload, or a part of it, may run elsewhere than on CPU {}", cpu_);
}

}  // namespace tacho::arm
