#include "cli/record_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <limits>

#include "base/parse_number.hpp"
#include "cli/part_options.hpp"
#include "cli/target_options.hpp"
#include "help/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "record/default_periods.hpp"
#include "record/sample_clock.hpp"

namespace tacho {
namespace {

// The largest period and frequency that the kernel accepts.
constexpr std::uint64_t kHighest = std::numeric_limits<std::int64_t>::max();

// Parses "fp", "lbr", "dwarf" or "dwarf,BYTES".
Result<void> take_call_graph(std::string_view text, SampleSpec& spec) {
  constexpr std::uint32_t kMostStack = 65'528;  // bytes: the size of a record is a 16-bit number
  constexpr std::uint32_t kWord = 8;            // bytes
  if (text == "fp") {
    spec.chains = SampleSpec::Chains::frame_pointers;
    return {};
  }
  if (text == "lbr") {
    spec.chains = SampleSpec::Chains::lbr;
    return {};
  }
  std::uint32_t bytes = spec.stack_bytes;
  bool right = text == "dwarf";
  if (constexpr std::string_view kSized = "dwarf,"; text.starts_with(kSized)) {
    bytes = parse_number<std::uint32_t>(text.substr(kSized.size())).value_or(0);
    right = bytes > 0 && bytes % kWord == 0 && bytes <= kMostStack;
  }
  if (!right)
    return failure(fmt::format("--call-graph: '{}' is not a kind of call graph", text),
                   fmt::format("give fp, lbr, dwarf, or dwarf,BYTES with a multiple of 8 up to {}",
                               kMostStack));
  spec.chains = SampleSpec::Chains::dwarf;
  spec.stack_bytes = bytes;
  return {};
}

bool in_group(const RecordOptions& o) {
  return !o.cgroup.empty() || !o.container.empty();
}

}  // namespace

void declare(CLI::App& record, RecordOptions& o) {
  record
      .add_option("-e,--event", o.events,
                  "Events to sample, separated by commas (default: cycles, or cpu-clock where "
                  "there is no hardware PMU). Names are perf's: see 'tacho list'")
      ->type_name("EVENTS");
  record
      .add_option("-c,--count", o.period,
                  "Take a sample each time that an event has occurred N times. Without -c, sample "
                  "by frequency with dithered periods")
      ->type_name("N")
      ->transform(decimal(std::uint64_t{1}, kHighest));
  record
      .add_option("-F,--freq", o.frequency,
                  "Samples per second of running time (default: 4000; in a simulation 100000 per "
                  "second of simulated time; tracepoints, breakpoints, switches and migrations: "
                  "each one)")
      ->type_name("HZ")
      ->transform(decimal(std::uint64_t{1}, kHighest));
  record.add_flag("-g", o.frame_pointers, "Record call chains: --call-graph fp");
  record
      .add_option("--call-graph", o.call_graph,
                  "Record call chains: by frame pointers (fp), by DWARF with a copy of BYTES of "
                  "the stack (dwarf[,BYTES], default 8192), or by the calls that an Intel core "
                  "keeps (lbr)")
      ->type_name("HOW")
      ->check(offers([] { return std::vector<std::string>{"fp", "dwarf", "lbr"}; }));
  record.add_flag("-b,--branch-any", o.branches,
                  "Record the stack of the last taken branches, if the core has one");
  CLI::Option* off_cpu =
      record.add_flag("--off-cpu", o.off_cpu,
                      "Record when and where threads wait, and not where they run. With call "
                      "chains (default: --call-graph dwarf,4096)");
  record
      .add_flag("--wall", o.wall,
                "Record where threads run (cpu-clock, 1000 samples a second), too: then 'tacho "
                "report --wall'")
      ->excludes(off_cpu);
  record
      .add_option(
          "-k,--clockid", o.clock,
          "The clock of the samples' times: mono (the default where it is cheap), raw, real, "
          "boot or tai. 'perf inject --jit' needs mono")
      ->type_name("CLOCK")
      ->check(offers(clock_names));
  declare(record, o.targets, "Sample");
  CLI::Option* group =
      record.add_option("-G,--cgroup", o.cgroup, "Sample what runs in this control group")
          ->type_name("GROUP");
  record
      .add_option("--container", o.container,
                  "Sample what runs in this container (Docker, Podman, Kubernetes), by name or ID")
      ->type_name("NAME")
      ->excludes(group);
  declare(record, o.part);
  record
      .add_option(
          "--pmu", o.pmu,
          fmt::format("The PMU that samples: {} (default: auto)", fmt::join(pmu_words(), ", ")))
      ->type_name("KIND")
      ->check(offers(pmu_words_with_models));
  record
      .add_option(
          "-o,--output", o.output,
          "The recording (default: perf.data). An existing one is renamed to FILE.old. - is a "
          "stream on standard output; the command's own output then goes to standard error. In its "
          "name, %h is the host, %p the process, %r the rank, %q{NAME} a variable")
      ->type_name("FILE");
  record.add_flag("-q,--quiet", o.quiet, "Do not print a summary of the recording");
}

Result<std::vector<OpenedCgroup>> open_group(const RecordOptions& o) {
  if (!o.container.empty()) return open_containers({o.container});
  if (!o.cgroup.empty()) return open_cgroups({o.cgroup});
  return std::vector<OpenedCgroup>{};
}

Result<SampleSpec> sample_spec(const RecordOptions& o) {
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const std::array rules = {
      Rule{in_group(o) &&
               (!o.targets.pids.empty() || !o.targets.tids.empty() || !o.targets.cpus.empty()),
           "a control group or a container excludes -p, -t and -C",
           "give one of them: a group is sampled on all CPUs"},
      Rule{(o.cgroup + o.container).contains(','), "record takes one control group or container",
           "give the group above them all, or record each by itself"},
      Rule{in_group(o) && simulated_model(o.pmu).has_value(),
           "a simulation can't attach to what runs: -G and --container don't go with it",
           "launch the command: tacho record --pmu simulated -- COMMAND…"},
      Rule{o.command.empty() && o.targets.are_a_command() && !in_group(o), "no command to record",
           "tacho record [OPTIONS] -- COMMAND…, or -p PID, or -a"},
      Rule{!o.command.empty() && o.command.front().empty(), "the command's name is empty",
           "tacho record [OPTIONS] -- COMMAND…"},
      Rule{o.period && o.frequency, "-c and -F exclude each other", "give one of them"},
      Rule{o.frame_pointers && o.call_graph, "-g means --call-graph fp: they exclude each other",
           "give one of them"},
      Rule{o.branches && o.call_graph == "lbr",
           "--call-graph lbr and -b exclude each other: the core keeps calls or branches",
           "give one of them, or -b --call-graph dwarf"},
      Rule{o.records_waits() && simulated_model(o.pmu).has_value(),
           "a simulation has one thread at a time, which never waits",
           "leave out --pmu, or --wall and --off-cpu"},
      Rule{o.records_waits() && o.part.is_asked_for(),
           "--wall and --off-cpu record the whole run: -D, --control and --in-region don't go with "
           "them",
           "leave them out"},
      Rule{o.off_cpu && o.frequency, "-F is about samples of running time, and --off-cpu has none",
           "leave it out, or record with --wall"},
      Rule{o.records_waits() && (o.period || o.branches || o.call_graph == "lbr"),
           "--wall and --off-cpu record each switch: -c, -b and --call-graph lbr don't go with "
           "them",
           "leave them out; -F is for the samples of running time"},
      Rule{o.part.is_asked_for() && simulated_model(o.pmu).has_value(),
           "a simulation samples the whole run: -D, --control and --in-region don't go with it",
           "leave them out, and choose a part later: tacho report --time"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  TACHO_TRY(check(o.targets));
  TACHO_TRY(
      check(o.part, o.targets.are_a_command() && !in_group(o), simulated_model(o.pmu).has_value()));
  SampleSpec spec;
  spec.begins_off = delay_of(o.part).has_value();
  spec.switched = spec.begins_off || o.part.control;
  spec.period = o.period;
  spec.frequency = o.frequency.value_or(spec.frequency);
  spec.branches = o.branches;
  if (o.frame_pointers) spec.chains = SampleSpec::Chains::frame_pointers;
  if (o.call_graph) TACHO_TRY(take_call_graph(*o.call_graph, spec));
  if (o.records_waits()) choose_for_waits(spec, o.frequency.has_value());
  spec.clock = default_clock();
  if (o.clock) spec.clock = TACHO_TRY(clock_named(*o.clock));
  spec.clock_needed = o.clock.has_value();
  return spec;
}

}  // namespace tacho
