#include "stat/check_request.hpp"

#include <array>
#include <string>

#include "pmu/choice/pmu_option.hpp"

namespace tacho {
namespace {

std::string option_of(CpuPart part) {
  switch (part) {
    case CpuPart::cpu:
      break;
    case CpuPart::core:
      return "--per-core";
    case CpuPart::die:
      return "--per-die";
    case CpuPart::socket:
      return "--per-socket";
    case CpuPart::node:
      return "--per-node";
  }
  return "--per-cpu (-A)";
}

}  // namespace

Result<void> check(const StatRequest& o, const std::string& usage) {
  struct Rule {
    bool broken;
    std::string what;
    std::string remedy;
  };
  const bool simulated = simulated_model(o.pmu).has_value();
  const bool rows = o.has_rows();
  const std::string table = o.per ? option_of(*o.per) : "";
  const bool draws = o.plot && !o.plot->empty() && !o.plots_on_terminal();
  const std::array rules = {
      Rule{o.command.empty() && o.counts_command(), "no command to measure", usage},
      Rule{!o.command.empty() && o.command.front().empty(), "the command's name is empty", usage},
      Rule{o.counts_cgroups() && !o.targets.are_a_command(),
           "control groups and containers exclude -p, -t and -C",
           "give one of them: groups are counted on all CPUs"},
      Rule{o.counts_cgroups() && (o.per || o.per_thread),
           "control groups and containers exclude " + (o.per ? table : "--per-thread"),
           "leave it out: several groups have a table of their own"},
      Rule{!o.cgroups.empty() + !o.cgroups_like.empty() + !o.containers.empty() > 1,
           "--cgroup, --for-each-cgroup and --container exclude each other", "give one of them"},
      Rule{simulated && !o.counts_command(),
           "a simulation can't attach to what runs: -p, -t, -a, -C and -G don't go with it",
           "launch the command: tacho stat --pmu simulated -- COMMAND…"},
      Rule{simulated && o.per_thread,
           "--per-thread does not go with a simulation: all threads share its one core",
           "leave it out"},
      Rule{o.with_native && !simulated, "--with-native needs --pmu simulated",
           "any other run is native already"},
      Rule{o.per_thread && o.targets.pids.empty() && o.targets.tids.empty() &&
               (!o.targets.every_cpu || !o.targets.cpus.empty()),
           "--per-thread needs -p PID, -t TID or -a",
           "the kernel adds up a launched command's threads: 'tacho record', then 'tacho report -s "
           "thread' tells each one's share; or start it, and attach with -p"},
      Rule{o.per && o.per_thread, "--per-thread and " + table + " exclude each other",
           "give one of them"},
      Rule{o.per && !o.targets.are_cpus(), table + " needs -a or -C",
           "a command's counts are told as a whole, on whatever CPUs it was: give -a, too, and all "
           "that runs there is counted"},
      Rule{o.repeats > 1 && o.command.empty(), "-r needs a command to repeat",
           "tacho stat -r N [OPTIONS] -- COMMAND…"},
      Rule{o.repeats > 1 && o.interval_ms.has_value(), "-r and -I exclude each other",
           "give one of them"},
      Rule{o.repeats > 1 && o.per_thread, "-r and --per-thread exclude each other",
           "give one of them: threads come and go between the runs"},
      Rule{o.repeats > 1 && o.per, "-r and " + table + " exclude each other", "give one of them"},
      Rule{o.repeats > 1 && o.counts_cgroups(), "-r and control groups (-G) exclude each other",
           "give one of them"},
      Rule{o.repeats > 1 && !o.series.empty(), "-r and --series exclude each other",
           "keep the series of one run at a time"},
      Rule{o.repeats > 1 && !o.openmetrics.empty(), "-r and --openmetrics exclude each other",
           "leave one of them out: a monitoring system's counters are those of one run"},
      Rule{rows && !o.openmetrics.empty(), "--report and --openmetrics exclude each other",
           "leave one of them out"},
      Rule{o.regions && o.command.empty(), "--regions needs a command",
           "'tacho regions -p PID' turns on and reports the regions of what runs already"},
      Rule{o.regions && simulated, "--regions does not go with a simulation",
           "a program's own clock would measure the simulator: leave one of them out"},
      Rule{o.regions && o.format == Format::csv && o.interval_ms.has_value(),
           "--regions does not go with --csv and -I together",
           "intervals as CSV have no report at the end: use --json, or leave out -I"},
      Rule{o.interval_count && !o.interval_ms, "--interval-count needs -I",
           "-I MS --interval-count N; --timeout MS ends a run after a time"},
      Rule{o.with_native && o.timeout_ms, "--with-native and --timeout exclude each other",
           "leave one of them out: the two runs would end in different places"},
      Rule{rows && (!o.events.empty() || !o.sets.empty()),
           "--report has events of its own: -e and -S don't go with it",
           "leave one of them out; a report of your own works by its path"},
      Rule{o.nothing && (!o.events.empty() || !o.sets.empty()),
           "-n counts nothing: -e, -S and -d don't go with it", "leave one of them out"},
      Rule{o.nothing && (o.interval_ms || o.perf_lines),
           "-n has the times alone, of which -I, -x and -j don't tell", "leave one of them out"},
      Rule{o.nothing && (simulated || rows), "-n counts nothing, so there is nothing to report on",
           "leave -n out"},
      Rule{o.alone &&
               (!o.counts_task() || o.pmu.starts_with("simulated") || o.pmu == "arm-registers"),
           "-i needs a task that the kernel counts: a command, -p or -t",
           "a CPU, a control group, a simulation or a core's registers count what runs there"},
      Rule{o.perf_lines && o.format != Format::text, "-x and -j exclude --json and --csv",
           "-x and -j are perf's formats; give one of them"},
      Rule{o.perf_lines && (rows || o.regions || o.with_native),
           "-x and -j tell of counts alone: --report, --regions and --with-native don't go with "
           "them",
           "use --json or --csv"},
      Rule{rows && o.format != Format::text,
           "--report is a format of its own, beside --json and --csv",
           "give one of them; --series FILE keeps the same run's periods as JSON or CSV"},
      Rule{rows && (o.repeats > 1 || o.interval_ms || o.per_thread || o.per || o.with_native),
           "--report tells of one run as a whole: -r, -I, --per-thread, --per-cpu (-A) and "
           "--with-native don't go with it",
           "leave it out"},
      Rule{rows && o.output == "-", "a report with rows has its data in a file beside it",
           "name it: -o FILE"},
      Rule{o.plot && !rows, "--plot needs --report", "rpistat --plot COMMAND…"},
      Rule{draws && !o.plot->ends_with(".svg"), "--plot draws SVG: its file's name ends in .svg",
           "--plot=NAME.svg, or --plot=terminal"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  TACHO_TRY(check(o.part, o.counts_command(), simulated));
  return check(o.targets);
}

}  // namespace tacho
