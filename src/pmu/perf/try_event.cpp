#include "pmu/perf/try_event.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "base/cpus.hpp"
#include "pmu/on_cores_of.hpp"
#include "pmu/perf/perf_group.hpp"
#include "pmu/perf/unequal_cores.hpp"
#include "pmu/trust/judge.hpp"

namespace tacho {

Result<Trial> try_event(const Event& event, const Yardstick& yardstick) {
  // The kernel would choose one of the PMUs, and tacho does not know on which CPUs it counts.
  if (event.core_pmu.empty() && !unequal_cores().empty())
    return failure("not tried: the event names none of the core PMUs", "name one: PMU/…/", ENODEV);
  const OnCoresOf cores(event);
  if (!cores.there())
    return failure(fmt::format("not tried: tacho may not run on the CPUs of {} ({})",
                               event.core_pmu, cpus_in_words(event.cpus)),
                   "let tacho use them (taskset, cpuset)", ENODEV);
  Event user = encoded_here(event);
  user.exclude_kernel = user.exclude_hv = true;
  auto group = open_perf_group({&user, 1}, Self{}, Start::stopped);
  // The oldest ARM PMUs can't separate user mode and kernel mode.
  const bool user_only =
      group || (group.error().code != EINVAL && group.error().code != EOPNOTSUPP);
  if (!user_only) {
    user.exclude_kernel = user.exclude_hv = false;
    group = open_perf_group({&user, 1}, Self{}, Start::stopped);
  }
  if (!group) return std::unexpected(group.error());
  Trial trial = TACHO_TRY(count_loop(**group, yardstick));
  trial.user_only = user_only;
  return trial;
}

}  // namespace tacho
