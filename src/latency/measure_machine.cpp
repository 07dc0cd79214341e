#include "latency/measure_machine.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "base/cpuinfo.hpp"
#include "base/cpus.hpp"
#include "base/number.hpp"
#include "latency/chase/advertised.hpp"
#include "latency/chase/disturbance.hpp"
#include "latency/chase/list_sizes.hpp"
#include "latency/chase/memory_allowance.hpp"
#include "latency/chase/streams.hpp"
#include "latency/chase/timer.hpp"
#include "latency/events_per_access.hpp"
#include "latency/inference/infer.hpp"
#include "latency/native_survey.hpp"
#include "latency/node_latencies.hpp"
#include "latency/parallel_walks.hpp"
#include "latency/progress_line.hpp"

namespace tacho {
namespace {

constexpr std::size_t kStreamBytes = std::size_t{64} << 20U;  // more than the caches of a core

// The largest list: the one asked for, if there is room for it, or one that suits the machine.
Result<std::size_t> largest_list(const LatencyRequest& request,
                                 const std::vector<AdvertisedCache>& caches) {
  const chase::Allowance allowance = TACHO_TRY(chase::memory_allowance());
  const std::size_t last = caches.empty() ? 0 : static_cast<std::size_t>(caches.back().bytes);
  if (!request.most_bytes && request.sizes.empty())
    return std::max(chase::default_most(last, allowance.bytes), chase::small_page_bytes());
  const std::size_t most = request.sizes.empty() ? *request.most_bytes : request.sizes.back();
  TACHO_TRY(chase::check_room(allowance, most));
  return most;
}

// The line of the first level; a usual one if the kernel says none that a machine has.
std::size_t line_of(const std::vector<AdvertisedCache>& caches) {
  constexpr std::size_t kUsual = 64;
  if (caches.empty()) return kUsual;
  const std::size_t advertised = caches.front().line_bytes;
  const bool possible = std::has_single_bit(advertised) && advertised >= 16 && advertised <= 1024;
  return possible ? advertised : kUsual;
}

// Lines that caches of the core's own may hold: L1 and L2 mostly belong to one core. Half as much
// again shows their edges.
std::size_t own_lines(const std::vector<AdvertisedCache>& caches, std::size_t line_bytes) {
  std::size_t lines = chase::Effort().own_lines;
  for (const AdvertisedCache& cache : caches)
    if (cache.level <= 2) lines = static_cast<std::size_t>(3 * cache.bytes / 2) / line_bytes;
  return lines;
}

std::string name_of(chase::Access access) {
  return access == chase::Access::atomic ? "atomic addition" : std::string(to_string(access));
}

void describe_machine(LatencyReport& report) {
  const chase::MachineState state = chase::machine_state(report.cpu);
  report.governor = state.governor;
  if (state.knows_load) report.load = state.load;
  report.processor = processor_name();
  report.advertised = {chase::advertised_caches(report.cpu), chase::advertised_tlb()};
}

NativeSurveyRequest survey_request(const LatencyRequest& request, const LatencyReport& report,
                                   const chase::ChosenTimer& timer, std::size_t most_bytes) {
  NativeSurveyRequest made;
  made.most_bytes = most_bytes;
  made.sizes = request.sizes;
  made.small = request.pages != PageSizes::huge;
  made.huge = request.pages != PageSizes::small;
  const std::size_t line = line_of(report.advertised.caches);
  made.machine = {.advertised = report.advertised,
                  .line_bytes = line,
                  .tick_hz = timer.hz,
                  .own_lines = own_lines(report.advertised.caches, line)};
  made.probing = {.cpu = report.cpu,
                  .line_bytes = line,
                  .access = request.access,
                  .timer = timer.timer,
                  .effort = {.own_lines = made.machine.own_lines,
                             .step = timer.step,
                             .block_times = timer.block_times}};
  return made;
}

// Threads that keep all other CPUs busy as long as this exists.
Result<std::unique_ptr<chase::Streams>> load_other_cpus(std::vector<int> cpus,
                                                        LatencyReport& report) {
  std::erase(cpus, report.cpu);
  if (cpus.empty())
    return failure("--loaded needs a second CPU, and this process may use only one",
                   "allow it more of them (taskset, the container's cpuset)");
  report.warnings.push_back(fmt::format("measured while {} other CPU{} read and wrote memory",
                                        cpus.size(), cpus.size() == 1 ? "" : "s"));
  return std::make_unique<chase::Streams>(cpus, kStreamBytes);
}

void take_survey(NativeSurvey survey, LatencyReport& report) {
  report.waited_s = survey.waited_s;
  if (survey.knows_stolen) report.stolen_s = survey.stolen_s;
  report.partial = survey.partial;
  report.samples = std::move(survey.samples);
  report.fills = std::move(survey.fills);
  const auto shared = std::ranges::count_if(report.samples, &LatencySample::core_shared);
  if (shared != 0)
    report.warnings.push_back(
        fmt::format("another thread used the same core, and its caches, during {} of {} (reading "
                    "the clock took more core cycles than alone): levels may look smaller than "
                    "they are",
                    shared, plural(report.samples.size(), "size", {})));
  report.warnings.insert(report.warnings.end(), survey.warnings.begin(), survey.warnings.end());
}

// What belongs to the levels that were found: parallel walks, events, and nodes.
Result<void> measure_beside_levels(const LatencyRequest& request, const chase::Stop& stop,
                                   const LatencyProgress& progress, LatencyReport& report) {
  if (report.partial || report.samples.empty()) return {};
  if (request.parallel != 0) TACHO_TRY(measure_parallel_walks(request, stop, progress, report));
  if (!request.events.empty() && !report.partial)
    TACHO_TRY(count_events_per_access(request, progress, report));
  if (!report.partial) measure_memory_nodes(request.access, stop, progress, report);
  return {};
}

}  // namespace

Result<LatencyReport> measure_machine(const LatencyRequest& request, const chase::Stop& stop,
                                      const LatencyProgress& progress) {
  LatencyReport report;
  const std::vector<int> allowed = allowed_cpus();
  report.cpu = request.cpu.value_or(::sched_getcpu());
  TACHO_TRY(keep_to_cpu(report.cpu));
  describe_machine(report);
  report.access = name_of(request.access);
  const std::size_t most = TACHO_TRY(largest_list(request, report.advertised.caches));
  const chase::ChosenTimer timer = chase::choose_timer(report.cpu);
  report.clock = timer.name;
  report.clock_step = timer.step;
  std::unique_ptr<chase::Streams> streams;  // as long as anything is measured
  if (request.loaded) streams = TACHO_TRY(load_other_cpus(allowed, report));

  const ProgressLine line(progress);
  NativeSurvey survey = TACHO_TRY(
      survey_machine(survey_request(request, report, timer, most), stop, line.callback()));
  report.seconds = line.seconds();
  take_survey(std::move(survey), report);
  report.inference = infer_latency(report.samples, report.advertised, timer.hz, report.fills);
  report.warnings.insert(report.warnings.begin(), report.inference.warnings.begin(),
                         report.inference.warnings.end());
  TACHO_TRY(measure_beside_levels(request, stop, progress, report));
  return report;
}

}  // namespace tacho
