// `tacho record`: launches a workload or attaches to one, samples events and writes a recording.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>

#include "base/cpus.hpp"
#include "base/file.hpp"
#include "base/number.hpp"
#include "cli/failure.hpp"
#include "cli/launching.hpp"
#include "cli/record_options.hpp"
#include "cli/standard_output.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "perfdata/stream_writer.hpp"
#include "perfdata/writer.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "pmu/perf/amd_sampling.hpp"
#include "pmu/perf/perf_open.hpp"
#include "record/record_workload.hpp"

namespace tacho {
namespace {

// The events that the user named. The default is cycles, or cpu-clock if there is no such counter
// on some of the cores.
Result<std::vector<EventGroup>> chosen_events(Pmu& pmu, const std::vector<std::string>& lists) {
  if (!lists.empty()) return resolve_groups(pmu, lists);
  if (auto cycles = resolve_groups(pmu, {"cycles"}))
    if (std::ranges::all_of(*cycles | std::views::join, [&](const Event& event) {
          return pmu.open({&event, 1}, Self{}, Start::stopped).has_value();
        }))
      return cycles;
  return resolve_groups(pmu, {"cpu-clock"});
}

// Chooses the event and the period for branch stacks where AMD's BRS keeps them, unless the user
// did.
void choose_for_brs(RecordOptions& options, const Pmu& pmu) {
  if (!options.branches || !options.events.empty() || options.frequency || !amd_sampling().brs ||
      pmu.capabilities().kind == PmuKind::simulated)
    return;
  options.events.emplace_back(kBrsEvent);
  if (!options.period) options.period = kBrsPeriod;
}

// Says what the defaults of this machine are, where they differ from the usual ones.
void say_defaults(const RecordOptions& asked, const RecordOptions& chosen, const SampleRate& rate) {
  if (asked.events.empty() && !chosen.events.empty())
    say_warning(fmt::format("this core keeps branch stacks by AMD BRS: sampled with -e {} -c {}",
                            chosen.events.front(), *chosen.period));
  if (!chosen.frequency && !chosen.period && !rate.limit.empty())
    say_warning(fmt::format("sampled {} times a second instead of {}: {}", rate.frequency,
                            SampleRate().frequency, rate.limit));
}

// Warns of a period that is shorter than a clock allows.
void warn_of_periods(std::span<const EventGroup> groups, const SampleSpec& spec) {
  for (const Event& event : groups | std::views::join) {
    const auto period = event.sampling.period ? event.sampling.period : spec.period;
    const bool drawn = event.sampling.frequency || !period;
    if (event.unit == "ns" && !drawn && *period < kShortestClockPeriod)
      say_warning(fmt::format("{} was sampled once in {} ns: the kernel does not sample more often",
                              event.name, kShortestClockPeriod));
  }
}

void warn_of_restriction(std::span<const EventGroup> groups, const Capabilities& pmu) {
  const bool touched = std::ranges::any_of(groups | std::views::join, [](const Event& event) {
    return event.any_level && event.exclude_kernel;
  });
  if (touched && !pmu.restriction.empty())
    say_warning(
        fmt::format("kernel mode is not sampled ({}): {}", pmu.restriction, paranoid_remedy(1)));
}

// Whether the event of this index takes no samples: those of its group's leader have its counts.
bool is_member(std::span<const EventGroup> groups, std::size_t index) {
  for (const EventGroup& group : groups) {
    if (index < group.size()) return index > 0 && group.front().sampling.by_leader;
    index -= group.size();
  }
  return false;
}

// Creates the file, or takes standard output.
Result<std::unique_ptr<perfdata::RecordingOutput>> open_output(const std::string& path) {
  if (path == "-") {
    Fd stream = TACHO_TRY(take_standard_output());
    return std::make_unique<perfdata::StreamWriter>(std::move(stream), "standard output");
  }
  perfdata::Writer file = TACHO_TRY(perfdata::Writer::create(path));
  return std::make_unique<perfdata::Writer>(std::move(file));
}

// Prints "1,234 samples of cpu-clock, 56 of page-faults in 1.02 s: perf.data, 64 KiB". For a
// simulation the time is "in 0.10 s of the simulated skylake".
void say_recorded(const RecordResult& result, std::span<const EventGroup> groups,
                  const perfdata::RecordingOutput& output) {
  const NumberStyle style = NumberStyle::of_environment();
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < result.events.size(); ++i)
    if (result.events[i].name != kTrackerName && !is_member(groups, i))
      counts.push_back(fmt::format("{} of {}", plural(result.samples[i], "sample", style),
                                   result.events[i].name));
  const std::string simulated =
      result.simulated.empty() ? "" : " of the simulated " + result.simulated;
  say_line(fmt::format("{} in {} s{}: {}, {}", fmt::join(counts, ", "),
                       fixed(result.elapsed_s, result.elapsed_s < 0.01 ? 6 : 2, style), simulated,
                       output.path(), bytes(output.size(), style)));
}

// Smallest share of the time with a counter that counts as all of it. It is below 1 because the
// counter of a new thread is enabled a little before the thread runs.
constexpr double kWhole = 0.99;

// Warns of events that had no counter for part of the time. A task's event on some of the unequal
// cores has none on the others: then the parts of one event have to cover the time together.
void warn_of_coverage(const RecordResult& result, std::span<const EventGroup> groups,
                      bool every_cpu) {
  const NumberStyle style = NumberStyle::of_environment();
  std::map<std::string, double> covered;  // by the name that the user wrote
  std::size_t i = 0;
  for (const Event& event : groups | std::views::join) {
    const std::optional<double> coverage = result.coverage[i++];
    if (!coverage) continue;
    const bool is_part = !every_cpu && !event.part_of.empty();
    const bool alone = !every_cpu && !event.core_pmu.empty() && !is_part;
    if (!alone) covered[is_part ? event.part_of : event.name] += *coverage;
    // How much of the time that was is not known: the kernel loses the enabled time of what the
    // program starts, if that is never on these cores.
    if (alone && *coverage < kWhole)
      say_warning(fmt::format("{} was sampled on its own cores only ({}): other cores have none",
                              event.name, cpus_in_words(event.cpus)));
  }
  for (const auto& [name, share] : covered) {
    if (share < kWhole)
      say_warning(
          fmt::format("{} had a counter for only {} % of the time: there are too few "
                      "counters, or others use them. Sample fewer events",
                      name, fixed(100 * share, 0, style)));
  }
}

void warn(const RecordResult& result) {
  for (const std::string& warning : result.warnings) say_warning(warning);
  const NumberStyle style = NumberStyle::of_environment();
  if (result.taken)
    say_warning(fmt::format("only {} s of the command's {} s of CPU time were sampled: {} ({})",
                            fixed(result.seen_s, 6, style),
                            fixed(result.ending.user_s + result.ending.system_s, 2, style),
                            result.taken->what, result.taken->remedy));
  if (result.lost > 0)
    say_warning(
        fmt::format("{} lost: the machine was too busy to take them from the buffers. "
                    "Sample less often (-F, -c), or without call graphs",
                    plural(result.lost, "sample", style)));
  if (result.throttled > 0)
    say_warning(
        fmt::format("the kernel stopped sampling {} because it took too much time. Sample "
                    "less often (-F, -c), or: sudo sysctl kernel.perf_cpu_time_max_percent=0",
                    plural(result.throttled, "time", style)));
}

// The command line of tacho itself. The kernel ends each word with a zero byte.
std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::istringstream text(read_file("/proc/self/cmdline").value_or(""));
  for (std::string word; std::getline(text, word, '\0');) words.push_back(std::move(word));
  return words;
}

int run_record(const RecordOptions& asked) {
  RecordOptions options = asked;
  auto spec = sample_spec(options);
  if (!spec) return fail(spec.error());
  const Catalogue catalogue;
  auto choice = parse_pmu_option(options.pmu);
  if (!choice) return fail(choice.error());
  choice->launches = options.pids.empty() && !options.every_cpu;
  auto pmu = make_pmu(*choice, catalogue);
  if (!pmu) return fail(pmu.error());
  choose_for_brs(options, **pmu);
  if (options.period) spec->period = options.period;
  const auto events = chosen_events(**pmu, options.events);
  if (!events) return fail(events.error());
  if (!options.frequency) spec->frequency = (*pmu)->default_rate().frequency;
  auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());
  const auto output = open_output(options.output);
  if (!output) return fail(output.error());
  RecordRequest request{.command = options.command,
                        .pids = options.pids,
                        .every_cpu = options.every_cpu,
                        .spec = *spec,
                        .command_line = command_line()};
  (void)::getrandom(&request.seed, sizeof request.seed, 0);  // on failure the seed is 0
  const auto recorded = record(**pmu, **supervisor, *events, request, **output);
  if (!recorded) {
    (*output)->discard();
    return fail(recorded.error(), exit_status_of_launch(recorded.error().code));
  }
  if (!options.quiet) say_recorded(*recorded, *events, **output);
  warn(*recorded);
  warn_of_coverage(*recorded, *events, options.every_cpu);
  say_defaults(asked, options, (*pmu)->default_rate());
  if (recorded->simulated.empty()) warn_of_periods(*events, *spec);
  warn_of_restriction(*events, (*pmu)->capabilities());
  if (!recorded->file_status) return fail(recorded->file_status.error());
  return recorded->ending.exit_code;
}

}  // namespace

void add_record(CLI::App& program, const std::vector<std::string>& command, int& status) {
  constexpr Launching kWhat{
      "record", "Sample events while a command runs",
      "tacho record [OPTIONS] [--] COMMAND [ARGUMENTS]      launch a command and sample it\n"
      "tacho record [OPTIONS] -p PID | -a [-- COMMAND]      attach until the command or the "
      "process "
      "ends, or until Ctrl-C"};
  add_launching<RecordOptions>(program, kWhat, command, status, run_record);
}

}  // namespace tacho
