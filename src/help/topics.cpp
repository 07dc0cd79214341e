#include "help/topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "help/help_format.hpp"
#include "help/perf_options.hpp"

namespace tacho {
namespace {

constexpr std::string_view kPerf = "perf";  // its table follows its text

constexpr std::string_view kEvents =
    R"(An event is something that a processor or the kernel counts. -e takes a list of events, separated by commas. The option can be given several times.

  cycles,page-faults       perf's generic names
  L1-dcache-load-misses    a cache, an operation and its result
  cpu/event=0xc4/          an event by its number; r00c4 is short for it
  sched:sched_switch       a tracepoint; 'sched:*' are all of sched
  mem:0x4011a0/8:w         a breakpoint: writes to 8 bytes
  '{a,b}'                  a group: a and b are counted at the same time
  cycles:u                 in user mode only; :k is kernel mode, :P the most precise samples

'tacho list' prints the events of this machine, and 'tacho list branch' those with 'branch' in their names. 'tacho list --pmu simulated' prints those of a simulation.

-S takes a set: events that belong together, with their metrics. The sets are default, cache, branch, tlb, stalls, energy, rpistat and, for a simulation, why. A file of your own is a set, too: -S ./mine.toml.)";

constexpr std::string_view kIntervals =
    R"(A figure with the mark ~ is an estimate: its event was counted during a part of the run, because events took turns. '~1.20 G ± 0.8 %' is an estimate whose interval reaches from 0.8 % below to 0.8 % above.

The count of the whole run is inside the interval in 95 of 100 runs. The interval says nothing about other runs. A figure without a mark was counted during the whole run, and has no interval.

With -r N, figures are means of N runs in a row. Their intervals hold the mean of such runs on this machine at this time. To compare two programs, use 'tacho compare': it runs them in turn.

Shares in 'tacho report' have intervals, too, because a profile is a random sample of the run.

-I MS is something else: it prints the counts of every MS milliseconds (reporting intervals).)";

constexpr std::string_view kPmu =
    R"(A PMU (performance monitoring unit) is what counts. --pmu KIND chooses one.

  auto                 the default: software events, and each hardware event that counts a loop of known work plausibly
  hardware             hardware events without this check
  software             events of the kernel only, such as page-faults
  simulated[:MODEL]    runs the command on a simulated processor: exact counts without a hardware PMU, tens of times slower
  arm-registers        the registers of an ARM core, by the kernel module tacho_pmu

'tacho doctor' says what this machine can count, and how to remove obstacles. 'tacho list --pmu simulated' prints the models.)";

constexpr std::string_view kEnvironment =
    R"(Variables that you may set:

  TACHO_DATA               a directory with sets/, metrics.toml, reports/, models/ and events/, where tacho looks first
  TACHO_SIMULATOR_DIR      the directory of the simulator
  TACHO_CONTROL            the channel of --control, which tacho sets for the command and its library reads
  TACHO_REGIONS            text, json, csv or trace, and :FILE. A program with tacho's library then reports its regions when it ends
  TACHO_REGIONS_EVENTS     the events that regions count
  TACHO_REGIONS_SCOPE      children: regions also count what their thread starts
  XDG_CONFIG_HOME          the directory of tacho/ with your own files (default: ~/.config)
  TMPDIR                   the directory for the records of a simulation (default: /tmp)
  PAGER                    the program that shows long text on a terminal
  NO_COLOR                 turns colours off
  COLUMNS                  the width of --help
  DEBUGINFOD_URLS          the servers of --debuginfod
  LC_ALL,LC_NUMERIC,LANG   how text reports write numbers; JSON and CSV are always alike)";

constexpr std::string_view kFiles =
    R"(  perf.data                        the recording of 'tacho record'; an existing one becomes perf.data.old
  rpistat.txt, rpistat.data        the report of 'rpistat', and its periods
  ~/.config/tacho/sets/*.toml      your own event sets. reports/, models/ and events/ are beside them
  ~/.config/tacho/metrics.toml     your own metrics
  PREFIX/share/tacho/              tacho's own files of these kinds; PREFIX/bin has tacho)";

constexpr std::string_view kExitStatus =
    R"(stat, record
  N        the command ended with N; with -r, the first run that failed did
  128+N    signal N killed the command
  125      tacho itself failed
  126      the command can't be run
  127      there is no such command

compare
  0        the comparison ended; with --gate: all gates hold
  1        a gate is broken
  2        a gate is undecided
  125-127, 128+N    as above; 125 also if a command failed

others
  0        success
  1        list: no name matches; doctor --prove: a check failed
  125      tacho itself failed
  128+N    latency: signal N ended it)";

constexpr std::string_view kPerfText =
    R"(tacho's options have perf's names and letters where perf has them. These options of perf have another name in tacho, or no counterpart.
)";

constexpr auto kTopics =
    std::to_array<HelpTopic>({{"events", "Names of events, groups and sets", kEvents},
                              {"intervals", "What ~ and ± mean", kIntervals},
                              {"pmu", "What can count: hardware, the kernel, a simulation", kPmu},
                              {"environment", "Variables that you may set", kEnvironment},
                              {"files", "Files that tacho reads and writes", kFiles},
                              {"exit-status", "Exit status of each subcommand", kExitStatus},
                              {kPerf, "Options of perf, and what to use instead", kPerfText}});

}  // namespace

std::span<const HelpTopic> help_topics() {
  return kTopics;
}

std::string topic_list() {
  std::string text;
  for (const HelpTopic& topic : kTopics)
    text += fmt::format("  {:<27} {}\n", topic.name, topic.summary);
  return text;
}

std::string topic_text(std::string_view name, std::size_t columns) {
  const auto found = std::ranges::find(kTopics, name, &HelpTopic::name);
  if (found == kTopics.end()) return {};
  std::string text = broken_lines(found->text, columns);
  if (name == kPerf) text += perf_options_text(columns);
  return text;
}

}  // namespace tacho
