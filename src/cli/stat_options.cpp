#include "cli/stat_options.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>

#include "cli/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "process/check_process.hpp"

namespace tacho {

void declare_of_rows(CLI::App& app, StatOptions& options) {
  StatRequest& o = options.request;
  const std::string kinds = fmt::format("{}", fmt::join(pmu_words(), ", "));
  app.add_option("--pmu", o.pmu,
                 fmt::format("What counts: {} (default: auto). simulated:MODEL runs the command "
                             "on a simulated processor (default: host)",
                             kinds))
      ->type_name("KIND");
  app.add_option(
         "--period", o.period_ms,
         "Longest period of a set's turn when sets take turns (default: 10, in a simulation 1; "
         "of a report its own, rpistat's is 100)")
      ->type_name("MS")
      ->transform(decimal(0.1, 60'000.0));
  app.add_option("--counters", o.counters,
                 "Pretend that the PMU has N counters, so that events take turns (a report's own; "
                 "rpistat's is 2)")
      ->type_name("N")
      ->transform(decimal(1, 1'000));
  app.add_option("-o,--output", o.output,
                 "Write the result here instead of stderr (stdout for JSON and CSV, rpistat.txt "
                 "for rpistat, with rpistat.data beside it)")
      ->type_name("FILE");
  app.add_option(
         "--plot", o.plot,
         "With rpistat: draw its periods over time, into FILE.svg (default: rpistat.svg) by "
         "gnuplot, or on the 'terminal', which is also -")
      ->type_name("[FILE.svg]")
      ->expected(0, 1);
}

void declare(CLI::App& stat, StatOptions& options) {
  StatRequest& o = options.request;
  stat.add_option(
          "-e,--event", o.events,
          "Events, separated by commas; {a,b} counts a and b at the same time. Names are perf's: "
          "see 'tacho list'")
      ->type_name("EVENTS");
  stat.add_option(
          "-S,--set", o.sets,
          "A set of events with its metrics, by name or file (default: default, or the model's)")
      ->type_name("SET");
  declare_of_rows(stat, options);
  stat.add_option(
          "--report", o.report,
          "Write a report with rows of its own, by name or file: rpistat, to rpistat.txt and "
          "rpistat.data")
      ->type_name("NAME");
  stat.add_flag("--with-native", o.with_native,
                "With a simulation: run the command natively first, for its elapsed time and "
                "software events. It runs twice then");
  stat.add_option("-r,--repeat", o.repeats,
                  "Run N times: mean, interval for such runs in a row, minimum")
      ->type_name("N")
      ->transform(decimal(1, 1'000'000));
  stat.add_option("-I,--interval", o.interval_ms,
                  "Print the counts of every MS milliseconds as they come")
      ->type_name("MS")
      ->transform(decimal(1.0, 86'400'000.0));
  stat.add_option("--interval-count", o.interval_count,
                  "With -I: stop counting after N intervals. The command runs on")
      ->type_name("N")
      ->transform(decimal(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  declare(stat, options.when);
  stat.add_option("--timeout", o.timeout_ms,
                  "Count for MS milliseconds, and then ask the command to end (SIGTERM)")
      ->type_name("MS")
      ->transform(decimal(1.0, 86'400'000'000.0));
  stat.add_option("-p,--pid", o.pid, "Count a running process: its threads and what they start")
      ->type_name("PID")
      ->transform(decimal(1, 4'194'304));  // the kernel's PID_MAX_LIMIT
  stat.add_flag("-a,--all-cpus", o.every_cpu, "Count whatever runs on any CPU");
  stat.add_flag("--per-thread", o.per_thread,
                "With -p: also a table of the threads, with what each starts");
  stat.add_flag("--per-cpu", o.per_cpu, "With -a: also a table of the CPUs");
  stat.add_flag("--regions", o.regions,
                "Also report the regions that a program linked with tacho's library measures of "
                "itself (docs/how-to/measure-regions.md)");
  stat.add_option("--series", o.series,
                  "Keep every period as it happens: JSON lines, or CSV for *.csv")
      ->type_name("FILE");
  stat.add_flag("--json", options.json, "Result as JSON, schema 1");
  stat.add_flag("--csv", options.csv, "Result as CSV");
}

Result<StatRequest> request_of(const StatOptions& options) {
  StatRequest o = options.request;
  o.command = options.command;
  if (options.json) o.format = Format::json;
  if (options.csv) o.format = Format::csv;
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const bool simulated = simulated_model(o.pmu).has_value();
  const bool rows = o.has_rows();
  const bool draws = o.plot && !o.plot->empty() && !o.plots_on_terminal();
  const std::array rules = {
      Rule{o.command.empty() && !o.pid && !o.every_cpu, "no command to measure",
           options.older_name ? "rpistat [OPTIONS] -- COMMAND…"
                              : "tacho stat [OPTIONS] -- COMMAND…, or -p PID, or -a"},
      Rule{!o.command.empty() && o.command.front().empty(), "the command's name is empty",
           options.older_name ? "rpistat [OPTIONS] -- COMMAND…"
                              : "tacho stat [OPTIONS] -- COMMAND…"},
      Rule{options.json && options.csv, "--json and --csv exclude each other", "give one of them"},
      Rule{o.pid && o.every_cpu, "-p and -a exclude each other", "give one of them"},
      Rule{simulated && (o.pid || o.every_cpu),
           "a simulation can't attach to a running process: -p and -a don't go with it",
           "launch the command: tacho stat --pmu simulated -- COMMAND…"},
      Rule{simulated && o.per_thread,
           "--per-thread does not go with a simulation: all threads share its one core",
           "leave it out"},
      Rule{o.with_native && !simulated, "--with-native needs --pmu simulated",
           "any other run is native already"},
      Rule{o.per_thread && !o.pid, "--per-thread needs -p PID",
           "a launched command's threads are counted together; start it, then attach with -p"},
      Rule{o.per_cpu && !o.every_cpu, "--per-cpu needs -a",
           "a command's counts are told as a whole, on whatever CPUs it was: give -a, too, and all "
           "that "
           "runs there is counted"},
      Rule{o.repeats > 1 && o.command.empty(), "-r needs a command to repeat",
           "tacho stat -r N [OPTIONS] -- COMMAND…"},
      Rule{o.repeats > 1 && o.interval_ms.has_value(), "-r and -I exclude each other",
           "give one of them"},
      Rule{o.repeats > 1 && o.per_thread, "-r and --per-thread exclude each other",
           "give one of them: threads come and go between the runs"},
      Rule{o.repeats > 1 && o.per_cpu, "-r and --per-cpu exclude each other", "give one of them"},
      Rule{o.per_thread && options.csv && o.interval_ms.has_value(),
           "--per-thread does not go with --csv and -I together",
           "intervals as CSV have no report at the end: use --json, or leave out -I"},
      Rule{o.per_cpu && options.csv && o.interval_ms.has_value(),
           "--per-cpu does not go with --csv and -I together",
           "intervals as CSV have no report at the end: use --json, or leave out -I"},
      Rule{o.repeats > 1 && !o.series.empty(), "-r and --series exclude each other",
           "keep the series of one run at a time"},
      Rule{o.regions && o.command.empty(), "--regions needs a command",
           "'tacho regions -p PID' turns on and reports the regions of what runs already"},
      Rule{o.regions && simulated, "--regions does not go with a simulation",
           "a program's own clock would measure the simulator: leave one of them out"},
      Rule{o.regions && options.csv && o.interval_ms.has_value(),
           "--regions does not go with --csv and -I together",
           "intervals as CSV have no report at the end: use --json, or leave out -I"},
      Rule{o.interval_count && !o.interval_ms, "--interval-count needs -I",
           "-I MS --interval-count N; --timeout MS ends a run after a time"},
      Rule{o.with_native && o.timeout_ms, "--with-native and --timeout exclude each other",
           "leave one of them out: the two runs would end in different places"},
      Rule{rows && (!o.events.empty() || !o.sets.empty()),
           "--report has events of its own: -e and -S don't go with it",
           "leave one of them out; a report of your own works by its path"},
      Rule{rows && (options.json || options.csv),
           "--report is a format of its own, beside --json and --csv",
           "give one of them; --series FILE keeps the same run's periods as JSON or CSV"},
      Rule{
          rows && (o.repeats > 1 || o.interval_ms || o.per_thread || o.per_cpu || o.with_native),
          "--report tells of one run as a whole: -r, -I, --per-thread, --per-cpu and --with-native "
          "don't go with it",
          "leave it out"},
      Rule{rows && o.output == "-", "a report with rows has its data in a file beside it",
           "name it: -o FILE"},
      Rule{o.plot && !rows, "--plot needs --report", "rpistat --plot COMMAND…"},
      Rule{draws && !o.plot->ends_with(".svg"), "--plot draws SVG: its file's name ends in .svg",
           "--plot=NAME.svg, or --plot=terminal"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  const bool launches = !o.pid && !o.every_cpu;
  TACHO_TRY(check(options.when, launches, simulated));
  if (o.pid) TACHO_TRY(check_process(*o.pid));
  return o;
}

}  // namespace tacho
