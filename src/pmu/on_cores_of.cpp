#include "pmu/on_cores_of.hpp"

#include <sched.h>

#include <algorithm>

namespace tacho {

// The CPU on which the thread runs is tried first.
OnCoresOf::OnCoresOf(const Event& event) {
  if (event.core_pmu.empty() || event.cpus.empty()) return;
  affinity_.emplace();
  std::vector<int> usable;
  for (const int cpu : parse_cpu_list(event.cpus))
    if (std::ranges::find(affinity_->before(), cpu) != affinity_->before().end())
      usable.push_back(cpu);
  there_ = !usable.empty();
  if (!there_ || usable.size() == affinity_->before().size()) return;
  if (const auto here = std::ranges::find(usable, ::sched_getcpu()); here != usable.end())
    std::swap(*here, usable.front());
  there_ = std::ranges::any_of(usable, [](int cpu) { return keep_to_cpu(0, cpu) == 0; });
}

}  // namespace tacho
