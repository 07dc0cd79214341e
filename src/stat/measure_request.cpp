#include "stat/measure_request.hpp"

#include <sys/random.h>

#include <chrono>

namespace tacho {

MeasureRequest measure_request(const StatRequest& request, const std::optional<RegionFile>& regions,
                               CountingControl* control, const std::vector<OpenedCgroup>& cgroups) {
  const auto milliseconds = [](double ms) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ms * 1e6));
  };
  MeasureRequest made;
  made.launch.argv = request.command;
  if (regions) made.launch.environment = regions->variables();
  if (control != nullptr)
    made.launch.environment.insert(made.launch.environment.end(), control->variables().begin(),
                                   control->variables().end());
  made.control = control;
  made.delay = delay_of(request.part);
  made.intervals = request.interval_count;
  if (request.timeout_ms) made.timeout = milliseconds(*request.timeout_ms);
  made.targets = request.targets;
  for (const OpenedCgroup& group : cgroups)
    made.cgroups.push_back({group.name, group.directory.get(), is_inside_another(group, cgroups)});
  made.alone = request.alone;
  made.per_thread = request.per_thread;
  made.per = request.per;
  made.longest_period = milliseconds(request.longest_period_ms());
  if (request.interval_ms) made.interval = milliseconds(*request.interval_ms);
  return made;
}

Result<std::vector<OpenedCgroup>> open_groups(const StatRequest& request) {
  if (!request.containers.empty()) return open_containers(request.containers);
  return request.cgroups_like.empty() ? open_cgroups(request.cgroups)
                                      : open_matching_cgroups(request.cgroups_like);
}

std::uint64_t drawn_seed() {
  std::uint64_t seed = 0;
  return ::getrandom(&seed, sizeof seed, 0) < 0 ? 0 : seed;  // any seed will do
}

}  // namespace tacho
