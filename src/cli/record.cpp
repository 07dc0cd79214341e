// `tacho record`: launches a workload or attaches to one, samples events and writes a recording.
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <ranges>

#include "base/number.hpp"
#include "base/own_program.hpp"
#include "cli/failure.hpp"
#include "cli/launching.hpp"
#include "cli/record_options.hpp"
#include "cli/say.hpp"
#include "cli/standard_output.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "perfdata/stream_writer.hpp"
#include "perfdata/writer.hpp"
#include "pmu/choice/event_groups.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "pmu/perf/amd_sampling.hpp"
#include "record/default_periods.hpp"
#include "record/record_workload.hpp"
#include "record/recording_notes.hpp"
#include "report/names/output_names.hpp"

namespace tacho {
namespace {

// The events that the user named, with those that tell where threads wait. The default is cycles,
// or cpu-clock if there is no such counter on some of the cores.
Result<std::vector<EventGroup>> chosen_events(Pmu& pmu, const RecordOptions& options) {
  std::vector<std::string> lists = options.events;
  if (options.wall) lists.insert(lists.begin(), "cpu-clock");
  if (options.records_waits()) {
    auto groups = lists.empty() ? std::vector<EventGroup>() : TACHO_TRY(resolve_groups(pmu, lists));
    for (EventGroup& group : TACHO_TRY(switches(pmu))) groups.push_back(std::move(group));
    return groups;
  }
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

// Creates the file with this name, in which placeholders are filled in, or takes standard output.
Result<std::unique_ptr<perfdata::RecordingOutput>> open_output(const std::string& name) {
  const std::string path = TACHO_TRY(filled_in_name(name));
  if (path == "-") {
    Fd stream = TACHO_TRY(take_standard_output());
    return std::make_unique<perfdata::StreamWriter>(std::move(stream), "standard output");
  }
  perfdata::Writer file = TACHO_TRY(perfdata::Writer::create(path));
  return std::make_unique<perfdata::Writer>(std::move(file));
}

int run_record(const RecordOptions& asked) {
  RecordOptions options = asked;
  auto spec = sample_spec(options);
  if (!spec) return fail(spec.error());
  const auto groups = open_group(options);
  if (!groups) return fail(groups.error());
  if (!groups->empty()) options.targets.every_cpu = true;  // where only the group is sampled
  const Catalogue catalogue;
  auto choice = parse_pmu_option(options.pmu);
  if (!choice) return fail(choice.error());
  choice->launches = options.targets.are_a_command();
  auto pmu = make_pmu(*choice, catalogue);
  if (!pmu) return fail(pmu.error());
  choose_for_brs(options, **pmu);
  if (options.period) spec->period = options.period;
  auto events = chosen_events(**pmu, options);
  if (!events) return fail(events.error());
  if (!options.period && !options.frequency) sample_rare_events_each_time(*events);
  if (!options.frequency && !options.records_waits())
    spec->frequency = (*pmu)->default_rate().frequency;
  auto supervisor = Supervisor::create();
  if (!supervisor) return fail(supervisor.error());
  const auto control = open_control(options.part);
  if (!control) return fail(control.error());
  const auto output = open_output(options.output);
  if (!output) return fail(output.error());
  RecordRequest request{.command = options.command,
                        .targets = options.targets,
                        .cgroup = groups->empty() ? -1 : groups->front().directory.get(),
                        .spec = *spec,
                        .command_line = own_command_line(),
                        .simulated = say_simulated,
                        .delay = delay_of(options.part),
                        .control = control->get()};
  if (::getrandom(&request.seed, sizeof request.seed, 0) < 0) request.seed = 0;  // any will do
  const auto recorded = record(**pmu, **supervisor, *events, request, **output);
  if (!recorded) {
    (*output)->discard();
    return fail(recorded.error(), exit_status_of_launch(recorded.error().code));
  }
  const NumberStyle style = NumberStyle::of_environment();
  if (!options.quiet) say_line(recorded_line(*recorded, *events, **output, style));
  say_warnings(result_warnings(*recorded, *events, options.targets.are_cpus(), style));
  say_warnings(warnings_of_removal(*groups));
  say_defaults(asked, options, (*pmu)->default_rate());
  say_warnings(permission_warnings(*recorded, *events, *spec, (*pmu)->capabilities()));
  if (!recorded->file_status) return fail(recorded->file_status.error());
  const bool as_asked = recorded->ending.asked_to_end && recorded->ending.signal == SIGTERM;
  return as_asked ? 0 : recorded->ending.exit_code;
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
