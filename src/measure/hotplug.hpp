// Keeps the counts of every CPU whole while CPUs go offline and come back, and says which did.
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
  // How often to look: what a CPU does from its coming until then is not counted.
  static constexpr std::chrono::milliseconds kEvery{10};

  // To be made when the lanes are open, so that their descriptors come first.
  // Without `with_new` no lane counts a CPU that was offline when they were opened.
  explicit Hotplug(CpuWatch watch = CpuWatch(), bool with_new = true)
      : watch_(std::move(watch)), with_new_(with_new) {}

  // Looks, and lets the lanes follow what has changed.
  void check(std::span<TargetCounters> lanes);

  // Which CPUs went and came, and what that may have cost.
  std::vector<std::string> warnings() const;

 private:
  struct History {
    bool was_there = false;    // when counting began
    bool is_there = false;     // at the last look
    Clock::duration missed{};  // the longest that it can have been online uncounted
    Result<void> followed;     // the first refusal
  };

  CpuWatch watch_;
  bool with_new_;
  Clock::time_point looked_ = Clock::now();
  std::map<int, History> histories_;
};

}  // namespace tacho
