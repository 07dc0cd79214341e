#include "pmu/on_cores_of.hpp"

#include <sched.h>

#include <algorithm>

#include "base/cpus.hpp"

namespace tacho {

// The CPU on which the thread runs is tried first.
OnCoresOf::OnCoresOf(const Event& event) {
  if (event.core_pmu.empty() || event.cpus.empty()) return;
  const std::vector<int> before = allowed_cpus();
  std::vector<int> usable;
  for (const int cpu : parse_cpu_list(event.cpus))
    if (std::ranges::find(before, cpu) != before.end()) usable.push_back(cpu);
  there_ = !usable.empty();
  if (!there_ || usable.size() == before.size()) return;
  if (const auto here = std::ranges::find(usable, ::sched_getcpu()); here != usable.end())
    std::swap(*here, usable.front());
  there_ = std::ranges::any_of(usable, [](int cpu) { return keep_to_cpu(0, cpu) == 0; });
  if (there_) before_ = before;
}

// The kernel names only CPUs that are online. A thread that could run on all of them could run on
// every CPU, and may go on to those that come online later.
OnCoresOf::~OnCoresOf() {
  if (before_.empty()) return;
  if (before_ == online_cpus()) before_.clear();
  keep_to_cpus(0, before_);
}

}  // namespace tacho
