#include "pmu/perf/try_event.hpp"

#include <cerrno>

#include "pmu/perf/perf_group.hpp"
#include "pmu/trust/judge.hpp"

namespace tacho {

Result<Trial> try_event(const Event& event, const Yardstick& yardstick) {
  Event user = event;
  user.exclude_kernel = user.exclude_hv = true;
  auto group = open_perf_group({&user, 1}, Self{}, Start::stopped);
  // The oldest ARM PMUs can't separate user mode and kernel mode.
  const bool user_only =
      group || (group.error().code != EINVAL && group.error().code != EOPNOTSUPP);
  if (!user_only) group = open_perf_group({&event, 1}, Self{}, Start::stopped);
  if (!group) return std::unexpected(group.error());
  Trial trial = TACHO_TRY(count_loop(**group, yardstick));
  trial.user_only = user_only;
  return trial;
}

}  // namespace tacho
