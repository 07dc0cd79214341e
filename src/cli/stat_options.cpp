#include "cli/stat_options.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "base/safe_text.hpp"
#include "cli/part_options.hpp"
#include "cli/target_options.hpp"
#include "events/find_data.hpp"
#include "help/option_value.hpp"
#include "pmu/choice/pmu_option.hpp"
#include "report/names/output_names.hpp"
#include "stat/check_request.hpp"

namespace tacho {
namespace {

std::string separator_of(const std::string& text) {
  const std::string separator = text == "\\t" ? "\t" : text;
  const auto wrong = [](const char* why) {
    return CLI::ValidationError("-x", fmt::format("{}, as in -x ';'", why));
  };
  if (separator.find_first_of("0123456789.") != separator.npos)
    throw wrong("a separator with digits would be a part of the numbers: give another one");
  if (separator != "\t" && printable(separator) != separator)
    throw wrong("the separator has a control character: give another one");
  return separator;
}

}  // namespace

void declare_of_rows(CLI::App& app, StatOptions& options) {
  StatRequest& o = options.request;
  const std::string kinds = fmt::format("{}", fmt::join(pmu_words(), ", "));
  app.add_option("--pmu", o.pmu,
                 fmt::format("What counts: {} (default: auto). simulated:MODEL runs the command "
                             "on a simulated processor (default: host)",
                             kinds))
      ->type_name("KIND")
      ->check(offers(pmu_words_with_models));
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
  app.add_option(
         "-o,--output", o.output,
         "Write the result here instead of stderr (stdout for JSON and CSV, rpistat.txt "
         "for rpistat, with rpistat.data beside it). In its name, %h is the host, %p the process, "
         "%r the rank, %q{NAME} a variable")
      ->type_name("FILE");
  app.add_option(
         "--plot", o.plot,
         "With rpistat: draw its periods over time, into FILE.svg (default: rpistat.svg) by "
         "gnuplot, or on the 'terminal', which is also -")
      ->type_name("[FILE.svg]")
      ->expected(0, 1);
}

namespace {

// Groups are headings of --help. CLI11 also compares an option with the others of its group alone.
CLI::Option_group& group(CLI::App& stat, const char* name) {
  return *stat.add_option_group(name, name);
}

void declare_events(CLI::App& events, StatOptions& options) {
  StatRequest& o = options.request;
  events
      .add_option(
          "-e,--event", o.events,
          "Events, separated by commas; {a,b} counts a and b at the same time. Names are perf's: "
          "see 'tacho list'")
      ->type_name("EVENTS");
  events
      .add_option(
          "-S,--set", o.sets,
          "A set of events with its metrics, by name or file (default: default, or the model's)")
      ->type_name("SET")
      ->check(offers([] { return data_file_names("sets"); }));
  events.add_flag("-d,--detailed", options.detailed, "Also count the set 'cache'");
  events.add_flag("-n,--null", o.nothing, "Count nothing: only the times of the command");
  events.add_flag("--with-native", o.with_native,
                  "With a simulation: run the command natively first, for its elapsed time and "
                  "software events. It runs twice then");
  events.add_flag("--regions", o.regions,
                  "Also report the regions that a program linked with tacho's library measures of "
                  "itself (docs/how-to/measure-regions.md)");
  // perf's, for its tables of CPUs: here they have all PMUs anyway.
  events.add_flag("--no-merge")->group("");
}

void declare_targets(CLI::App& targets, StatRequest& o) {
  declare(targets, o.targets, "Count");
  targets
      .add_option("-G,--cgroup", o.cgroups,
                  "Count what runs in these control groups, with a table of several")
      ->type_name("GROUPS")
      ->delimiter(',')
      ->allow_extra_args(false);
  targets
      .add_option("--for-each-cgroup", o.cgroups_like,
                  "The same of each group whose path matches a regular expression")
      ->type_name("REGEX");
  targets
      .add_option("--container", o.containers,
                  "The same of these containers (Docker, Podman, Kubernetes), by name or ID")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  targets.add_flag("-i,--no-inherit", o.alone, "Leave out what the target starts");
}

void declare_parts(CLI::App& parts, StatRequest& o) {
  parts.add_flag("--per-thread", o.per_thread,
                 "With -p, -t or -a: also a table of the threads, with what each starts");
  const auto table = [&](const char* name, CpuPart part, const char* what) {
    parts.add_flag_callback(name, [&o, part] { o.per = part; }, what);
  };
  table("-A,--no-aggr,--per-cpu", CpuPart::cpu, "With -a or -C: also a table of the CPUs");
  table("--per-core", CpuPart::core, "The same of the cores");
  table("--per-die", CpuPart::die, "The same of the dies");
  table("--per-socket", CpuPart::socket, "The same of the sockets");
  table("--per-node", CpuPart::node, "The same of the memory nodes");
}

void declare_times(CLI::App& times, StatRequest& o) {
  times
      .add_option("-r,--repeat", o.repeats,
                  "Run N times: mean, interval for such runs in a row, minimum")
      ->type_name("N")
      ->transform(decimal(1, 1'000'000));
  times
      .add_option("-I,--interval,--interval-print", o.interval_ms,
                  "Print the counts of every MS milliseconds as they come")
      ->type_name("MS")
      ->transform(decimal(1.0, 86'400'000.0));
  times
      .add_option("--interval-count", o.interval_count,
                  "With -I: stop counting after N intervals. The command runs on")
      ->type_name("N")
      ->transform(decimal(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  declare(times, o.part);
  times
      .add_option("--timeout", o.timeout_ms,
                  "Count for MS milliseconds, and then ask the command to end (SIGTERM)")
      ->type_name("MS")
      ->transform(decimal(1.0, 86'400'000.0));
  times.add_flag("--sync", o.syncs, "Write the file systems' buffers to disk before the start");
}

void declare_output(CLI::App& output, StatOptions& options) {
  StatRequest& o = options.request;
  output.add_flag("--json", options.json, "Result as JSON, schema 1");
  output.add_flag("--csv", options.csv, "Result as CSV");
  output
      .add_option_function<std::string>(
          "-x,--field-separator",
          [&o](const std::string& text) { o.perf_lines = PerfLines{separator_of(text)}; },
          "Result as perf's CSV, with this separator (\\t is a tab), to stderr")
      ->type_name("SEP");
  output.add_flag_callback(
      "-j,--json-output", [&o] { o.perf_lines = PerfLines(); },
      "Result as perf's JSON, an object a line, to stderr");
  output
      .add_option(
          "--report", o.report,
          "Write a report with rows of its own, by name or file: rpistat, to rpistat.txt and "
          "rpistat.data")
      ->type_name("NAME")
      ->check(offers([] { return data_file_names("reports"); }));
  output
      .add_option("--series", o.series,
                  "Keep every period as it happens: JSON lines, or CSV for *.csv")
      ->type_name("FILE");
  output
      .add_option("--openmetrics", o.openmetrics,
                  "Also keep counters in FILE for Prometheus; with -I, replace it at each interval")
      ->type_name("FILE");
  output.add_option("--html", o.page, "Also write a page for a browser")->type_name("FILE");
  output.add_flag("-v,--verbose", o.verbose, "Also tell how each event was counted, and why not");
  output.add_flag_callback(
      "-B,--big-num", [&o] { o.big_numbers = true; },
      "Thousands separators, as the locale has them (the default)");
  output.add_flag_callback(
      "--no-big-num", [&o] { o.big_numbers = false; }, "No thousands separators");
}

}  // namespace

void declare(CLI::App& stat, StatOptions& options) {
  StatRequest& o = options.request;
  declare_events(group(stat, "What to count"), options);
  declare_targets(group(stat, "Whom to count"), o);
  declare_parts(group(stat, "Apart, in tables whose rows add up"), o);
  declare_times(group(stat, "When to count"), o);
  declare_output(group(stat, "Output"), options);
  declare_of_rows(stat, options);
}

Result<StatRequest> request_of(const StatOptions& options) {
  StatRequest o = options.request;
  o.command = options.command;
  if (o.counts_cgroups() && o.targets.cpus.empty()) o.targets.every_cpu = false;  // perf wants -a
  if (options.detailed && o.events.empty() && o.sets.empty()) o.sets.emplace_back("default");
  if (options.detailed) o.sets.emplace_back("cache");
  for (std::string* const name : {&o.output, &o.series, &o.openmetrics, &o.page})
    *name = TACHO_TRY(filled_in_name(*name));
  if (options.json && options.csv)
    return failure("--json and --csv exclude each other", "give one of them");
  if (options.json) o.format = Format::json;
  if (options.csv) o.format = Format::csv;
  TACHO_TRY(check(o, options.older_name ? "rpistat [OPTIONS] -- COMMAND…"
                                        : "tacho stat [OPTIONS] -- COMMAND…, or -p PID, or -a"));
  return o;
}

}  // namespace tacho
