#include "cli/stat_options.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>

#include "cli/pmu_choice.hpp"

namespace tacho {

void declare(CLI::App& stat, StatOptions& o) {
  const std::string kinds = fmt::format("{}", fmt::join(pmu_kinds(), ", "));
  stat.add_option(
          "-e,--event", o.events,
          "Events, separated by commas; {a,b} counts a and b at the same time. Names are perf's:\n"
          "see 'tacho list'")
      ->type_name("EVENTS");
  stat.add_option("-S,--set", o.sets,
                  "A set of events with its metrics, by name or file (default: default)")
      ->type_name("SET");
  stat.add_option("--pmu", o.pmu,
                  fmt::format("What counts: {} (default: auto).\nsimulated:MODEL runs the command "
                              "on a simulated processor (default: host)",
                              kinds))
      ->type_name("KIND");
  stat.add_flag("--with-native", o.with_native,
                "With a simulation: run the command natively first, for its elapsed time and\n"
                "software events. It runs twice then");
  stat.add_option("--period", o.period_ms,
                  "Longest period of a set's turn when sets take turns (default: 10)")
      ->type_name("MS")
      ->check(CLI::Range(0.1, 60'000.0));
  stat.add_option("--counters", o.counters,
                  "Pretend that the PMU has N counters, so that events take turns")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000));
  stat.add_option("-r,--repeat", o.repeats, "Run N times: mean, interval of the mean, minimum")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  stat.add_option("-I,--interval", o.interval_ms,
                  "Print the counts of every MS milliseconds as they come")
      ->type_name("MS")
      ->check(CLI::Range(1.0, 86'400'000.0));
  stat.add_option("-p,--pid", o.pid, "Count a running process: its threads and what they start")
      ->type_name("PID")
      ->check(CLI::Range(1, 4'194'304));  // the kernel's PID_MAX_LIMIT
  stat.add_flag("-a,--all-cpus", o.every_cpu, "Count whatever runs on any CPU");
  stat.add_flag("--per-thread", o.per_thread, "With -p: also a table of the threads");
  stat.add_option("--series", o.series,
                  "Keep every period as it happens: JSON lines, or CSV for *.csv")
      ->type_name("FILE");
  stat.add_option("-o,--output", o.output,
                  "Write the result here instead of stderr (stdout for JSON and CSV)")
      ->type_name("FILE");
  stat.add_flag("--json", o.json, "Result as JSON, schema 1");
  stat.add_flag("--csv", o.csv, "Result as CSV");
}

Result<void> check(const StatOptions& o) {
  struct Rule {
    bool broken;
    const char* what;
    const char* remedy;
  };
  const bool simulated = simulated_model(o.pmu).has_value();
  const std::array rules = {
      Rule{o.command.empty() && !o.pid && !o.every_cpu, "no command to measure",
           "tacho stat [OPTIONS] -- COMMAND…, or -p PID, or -a"},
      Rule{!o.command.empty() && o.command.front().empty(), "the command's name is empty",
           "tacho stat [OPTIONS] -- COMMAND…"},
      Rule{o.json && o.csv, "--json and --csv exclude each other", "give one of them"},
      Rule{o.pid && o.every_cpu, "-p and -a exclude each other", "give one of them"},
      Rule{simulated && (o.pid || o.every_cpu),
           "a simulation can't attach to what runs already: -p and -a don't go with it",
           "launch the command: tacho stat --pmu simulated -- COMMAND…"},
      Rule{simulated && o.per_thread,
           "--per-thread does not go with a simulation: all threads share its one core",
           "leave it out"},
      Rule{o.with_native && !simulated, "--with-native needs --pmu simulated",
           "any other run is native already"},
      Rule{o.per_thread && !o.pid, "--per-thread needs -p PID",
           "a launched command's threads are counted together; start it, then attach with -p"},
      Rule{o.repeats > 1 && o.command.empty(), "-r needs a command to repeat",
           "tacho stat -r N [OPTIONS] -- COMMAND…"},
      Rule{o.repeats > 1 && o.interval_ms.has_value(), "-r and -I exclude each other",
           "give one of them"},
      Rule{o.repeats > 1 && !o.series.empty(), "-r and --series exclude each other",
           "keep the series of one run at a time"},
      Rule{!o.series.empty() && o.series == o.output, "--series and -o name the same file",
           "give two files"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) return failure(rule.what, rule.remedy);
  return {};
}

}  // namespace tacho
