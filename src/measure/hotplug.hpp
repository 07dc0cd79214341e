// Follows CPUs that go offline and come online during a run of every CPU, and warns of them.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/target_counters.hpp"
#include "pmu/perf/cpu_watch.hpp"

namespace tacho {

class Hotplug {
 public:
  using Clock = std::chrono::steady_clock;
  // How often to look for changes. Until then, a CPU that comes online is not counted.
  static constexpr std::chrono::milliseconds kEvery{100};

  // Create it after the counters are open, so their descriptors come first. Without `with_new` no
  // counters are opened on a CPU that was offline at that time. With `only`, other CPUs are not
  // counted, and nothing is said of them.
  explicit Hotplug(CpuWatch watch = CpuWatch(), bool with_new = true, std::vector<int> only = {})
      : watch_(std::move(watch)), with_new_(with_new), only_(std::move(only)) {}

  // Looks for changes, and lets the counters of all targets follow them.
  void check(std::span<TargetCounters> targets);

  // Returns warnings that name the CPUs that changed, and the time for which each was not counted.
  std::vector<std::string> warnings() const;

 private:
  struct History {
    bool was_there = false;    // online when counting began
    bool is_there = false;     // online at the last look
    Clock::duration missed{};  // the longest time for which it may have been online but not counted
    Result<void> followed;     // the first error
  };

  CpuWatch watch_;
  bool with_new_;
  std::vector<int> only_;  // empty: every CPU
  Clock::time_point looked_ = Clock::now();
  std::map<int, History> histories_;
};

}  // namespace tacho
