#include "help/perf_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/text_layout.hpp"

namespace tacho {
namespace {

constexpr std::string_view kModes = "give each event a modifier: -e cycles:u (user) or :k (kernel)";
constexpr std::string_view kEachSample =
    "tacho records it with each sample: 'tacho dump' prints it";
constexpr std::string_view kNoTui =
    "leave it out: tacho always prints text, on a terminal through "
    "$PAGER";
constexpr std::string_view kKernelFile = "give --vmlinux FILE or --kallsyms FILE";
constexpr std::string_view kUser = "give the user's processes: -p \"$(pgrep -d, -u USER)\"";

// Checked against perf 6.1. Some options that newer versions add are here, too.
constexpr auto kOptions = std::to_array<PerfOption>({
    {"stat", "-M,--metrics", "-S takes sets of events with their metrics: 'tacho help events'"},
    {"stat", "--topdown,--td-level", "use a set: -S stalls; in a simulation -S why"},
    {"stat", "-T,--transaction", "name the events: -e cpu/tx-start/,cpu/tx-abort/"},
    {"stat", "--smi-cost", "name its event: -a -e msr/smi/"},
    {"stat", "--metric-only", "use --csv or --json, and choose the rows of kind 'metric'"},
    {"stat", "--metric-no-group,--metric-no-merge,--metric-no-threshold",
     "leave it out: a set (-S FILE) says which events are counted together"},
    {"stat", "--cputype", "name the PMU of the cores: -e cpu_core/cycles/"},
    {"stat", "--hybrid-merge", "leave it out: the report has each kind of core and their sum"},
    {"stat", "--iostat", "name the events of the uncore: 'tacho list uncore'"},
    {"stat", "--bpf-counters", "leave it out: -p and -G count without BPF"},
    {"stat", "--filter", "a tracepoint is counted whole: 'perf stat --filter' counts a part"},
    {"stat", "-u,--uid", kUser},
    {"stat", "--append", "give -o - and let the shell append: tacho stat -o - … >> FILE"},
    {"stat", "--log-fd", "give -o /dev/fd/N"},
    {"stat", "--pre,--post",
     "'tacho compare' has --prepare and --cleanup, which it does not count"},
    {"stat", "--table", "'tacho compare --save FILE' keeps each run"},
    {"stat", "--summary,--no-csv-summary",
     "leave it out: with -I, the report of the whole run comes last"},
    {"stat", "--all-user,--all-kernel", kModes},
    {"stat", "-g,--group", "put the events into braces: -e '{cycles,instructions}'"},
    {"stat", "--scale,--no-scale", "leave it out: --json has the count and the estimate"},
    {"stat", "--per-cache,--per-cluster", "use --per-core, --per-die or --per-socket"},
    {"stat", "--percore-show-thread", "use --per-cpu"},
    {"stat", "--interval-clear", "use watch(1): watch -n 1 tacho stat -a -- sleep 1"},
    {"stat", "--quiet", "give -o /dev/null"},
    {"record", "-d,--data,--phys-data,--data-page-size,-W,--weight,--mem-mode",
     "'perf record -d' records data addresses; 'tacho dump -F +addr' prints them"},
    {"record", "-T,--timestamp,-P,--period", kEachSample},
    {"record", "--sample-cpu", "-a and -C record the CPU with each sample"},
    {"record", "-j,--branch-filter",
     "-b records all taken branches; -e EVENT:u those of user mode"},
    {"record", "--switch-events", "use --off-cpu, which also takes a call chain at each switch"},
    {"record", "-i,--no-inherit",
     "tacho samples what the command starts, too: 'tacho report --pid PID' chooses"},
    {"record", "--all-user,--all-kernel", kModes},
    {"record", "-u,--uid", kUser},
    {"record", "--filter", "choose samples in the report: --comm, --pid, --tid, --cpu or --time"},
    {"record", "-m,--mmap-pages,--mmap-flush,--no-buffering,-r,--realtime",
     "leave it out: tacho chooses its buffers, and says if samples were lost"},
    {"record", "--switch-output,--max-size,-S,--snapshot,--overwrite",
     "choose a part of the run: -D MS, --control or --in-region NAME"},
    {"record", "-z,--compression-level",
     "compress it afterwards: zstd perf.data; tacho reads that"},
    {"record", "-R,--raw-samples", "leave it out: tracepoints always have their fields"},
    {"record", "-s,--stat", "leave it out: a recording has the count of each event"},
    {"record", "--per-thread", "leave it out: 'tacho report -s tid' has a row for each thread"},
    {"record", "-N,--no-buildid-cache,-B,--no-buildid,--buildid-all,--buildid-mmap",
     "leave it out: the kernel gives build IDs, and tacho keeps no cache"},
    {"record", "--group", "put the events into braces: -e '{cycles,instructions}'"},
    {"record", "-v,--verbose", "'tacho dump --raw' shows all that was recorded"},
    {"report", "--stdio,--stdio2,--tui,--gtk", kNoTui},
    {"report", "-n,--show-nr-samples", "leave it out: the report has the numbers of samples"},
    {"report", "-F,--fields,--show-total-period,--show-cpu-utilization",
     "use --csv or --json, which have every column"},
    {"report", "-g,--call-graph,-G,--inverted,--hierarchy,--max-stack",
     "use --tree, --callers FUNCTION, --callees FUNCTION or --folded"},
    {"report", "--no-children", "leave it out: rows are in the order of their own samples"},
    {"report", "-d,--dsos", "use --module NAMES"},
    {"report", "-c,--comms", "use --comm NAMES"},
    {"report", "-C", "use --cpu CPUS"},
    {"report", "-S,--symbols,--symbol-filter",
     "use --callers FUNCTION, or 'tacho annotate FUNCTION'"},
    {"report", "-k", "use --vmlinux FILE"},
    {"report", "-t,--field-separator", "use --csv"},
    {"report", "-T,--threads", "use -s tid"},
    {"report", "-D,--dump-raw-trace", "use 'tacho dump --raw'"},
    {"report", "--header,--header-only,-I,--show-info", "use 'tacho dump --header'"},
    {"report", "--stats,--tasks,--mmaps", "use 'tacho dump --raw', which prints every record"},
    {"report", "-b,--branch-stack,--total-cycles,--branch-history", "use 'tacho blocks'"},
    {"report", "-f,--force", "leave it out: tacho does not ask who owns a recording"},
    {"report", "-m,--modules,--ignore-vmlinux", kKernelFile},
    {"report", "-w,--column-widths",
     "leave it out: text is as wide as the terminal; --csv has whole names"},
    {"report", "-U,--hide-unresolved", "leave it out: warnings name what has no symbols"},
    {"report", "--percentage", "leave it out: shares are of the samples that you choose"},
    {"annotate", "--stdio,--stdio2,--tui,--gtk", kNoTui},
    {"annotate", "-s,--symbol", "name the function: tacho annotate FUNCTION"},
    {"annotate", "-d,--dsos", "use --module NAMES"},
    {"annotate", "-C", "use --cpu CPUS"},
    {"annotate", "-k", "use --vmlinux FILE"},
    {"annotate", "-l,--print-line,--source", "leave it out: source lines are always shown"},
    {"annotate", "-n,--show-nr-samples", "leave it out: each line has its samples"},
    {"annotate", "-f,--force", "leave it out: tacho does not ask who owns a recording"},
    {"annotate", "-m,--modules,--ignore-vmlinux", kKernelFile},
    {"dump", "-D,--dump-raw-trace,--dump-unsorted-raw-trace", "use --raw"},
    {"dump",
     "--show-mmap-events,--show-task-events,--show-switch-events,--show-lost-events,"
     "--show-namespace-events,--show-cgroup-events",
     "use --raw, which prints every record"},
    {"dump", "-c,--comms", "use --comm NAMES"},
    {"dump", "-C", "use --cpu CPUS"},
    {"dump", "--dsos", "use --module NAMES"},
    {"dump", "-k", "use --vmlinux FILE"},
    {"dump", "-S,--symbols", "use grep, or 'tacho report --callers FUNCTION'"},
    {"dump", "-I,--show-info,--header-only", "use --header"},
    {"dump", "-s,--script,-g,--gen-script,--dlfilter",
     "use --json: a line of JSON for each sample, for a program of yours"},
    {"dump", "-f,--force", "leave it out: tacho does not ask who owns a recording"},
});

constexpr auto kSubcommands =
    std::to_array<PerfSubcommand>({{"script", "use 'tacho dump'"},
                                   {"diff", "use 'tacho report -i OLD --compare NEW'"},
                                   {"top", "use 'tacho record -a -- sleep 5', then 'tacho report'"},
                                   {"evlist", "use 'tacho dump --header'"}});

auto names_of(const PerfOption& option) {
  return option.names | std::views::split(',') |
         std::views::transform([](auto name) { return std::string_view(name); });
}

// A row of the table. Long names have lines of their own.
std::string row(const std::string& names, std::string_view instead, std::size_t columns) {
  constexpr std::size_t kWidth = 28;  // of the names, in columns
  const std::string left = pad_right("  " + names, kWidth);
  if (names.size() + 4 <= kWidth) return paragraph(left, instead, columns);
  return paragraph("  ", names, columns) + paragraph(std::string(kWidth, ' '), instead, columns);
}

}  // namespace

std::span<const PerfOption> perf_options() {
  return kOptions;
}

std::span<const PerfSubcommand> perf_subcommands() {
  return kSubcommands;
}

std::string_view instead_of(std::string_view subcommand, std::string_view option) {
  // "-Mgroup" and "--metrics=group"
  option = option.starts_with("--") ? option.substr(0, option.find('=')) : option.substr(0, 2);
  for (const PerfOption& each : kOptions)
    if (each.subcommand == subcommand)
      for (const std::string_view name : names_of(each))
        if (name == option) return each.instead;
  return {};
}

std::string perf_options_text(std::size_t columns) {
  std::string text = "perf's subcommands\n";
  for (const PerfSubcommand& each : kSubcommands)
    text += row(std::string(each.name), each.instead, columns);
  std::string_view subcommand;
  for (const PerfOption& each : kOptions) {
    if (each.subcommand != subcommand) text += fmt::format("\ntacho {}\n", each.subcommand);
    subcommand = each.subcommand;
    text += row(fmt::format("{}", fmt::join(names_of(each), ", ")), each.instead, columns);
  }
  return text;
}

}  // namespace tacho
