// rpistat's report, against the published one; its data, and the plots of it.
#include "stat/rpistat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "stat/rpistat_plot.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The run that was published, as far as its report tells it: 169 periods, counts and cycles as
// there. What each period counted is made up so that the sums are right and all periods are alike.
class Rpistat : public testing::Test {
 protected:
  Rpistat() {
    auto layout = load_report(std::string(TACHO_SOURCE_DIR) + "/data/reports/rpistat.toml");
    EXPECT_TRUE(layout);
    report_.layout = std::move(*layout);
    for (const char* event :
         {"cycles", "instructions", "ibuf", "dc", "dcm", "micro", "main", "br", "bm"})
      report_.rows.push_back({.event = event, .absent = {}, .note = {}});
    m_.workload.label = "./naive";
    m_.workload.started = "2013-06-26T15:12:33+0000";
    m_.workload.elapsed_s = 16.9;
    m_.machine.pmu_kind = PmuKind::hardware;
    m_.machine.pmu_name = "armv6_1176";
    m_.machine.cpus = 1;
    m_.reference = "cycles";
    m_.reference_total = kCycles;
    m_.sets = 4;
    m_.always = {kCycles};
    m_.always_running = {1};
    add_event("cycles", Duty::always, 0, 0);
    for (std::size_t i = 1; i < report_.rows.size(); ++i)
      add_event(report_.rows[i].event, Duty::turned, (i - 1) / 2, (i - 1) % 2);
    constexpr std::uint64_t kCounts[4][2] = {
        {316'920'650, 69'764'851}, {4'619'258, 928'231}, {224'704, 164'438}, {33'633'705, 369'167}};
    for (std::uint32_t set = 0; set < 4; ++set) {
      const std::uint64_t periods = set == 0 ? 43 : 42;
      for (std::uint32_t i = 0; i < periods; ++i) {
        Period period;
        period.round = i;
        period.set = set;
        period.start_s = 0.1 * (4 * i + set);
        period.duration_s = 0.1;
        period.reference = kCycles / 169;
        for (const std::uint64_t count : kCounts[set])
          period.counts.push_back(count * (i + 1) / periods - count * i / periods);
        m_.periods.push_back(std::move(period));
      }
    }
    std::ranges::sort(m_.periods, {}, &Period::start_s);
  }

  void add_event(std::string name, Duty duty, std::size_t set, std::size_t slot) {
    CountedEvent event;
    event.name = std::move(name);
    event.duty = duty;
    event.set = set;
    event.slot = slot;
    m_.events.push_back(std::move(event));
  }

  // Without what was added to the published layout: the PMU, intervals and notes.
  std::string text(bool intervals = false) {
    std::istringstream all(to_rpistat(report_, m_, 169, "", {}));
    std::string kept;
    for (std::string line; std::getline(all, line) && line != "Notes";) {
      if (line.starts_with("  PMU:") || line.starts_with("  ±")) continue;
      if (const auto at = line.find("  ±"); !intervals && at != line.npos) line.erase(at);
      if (const auto dots = line.find("…"); !intervals && dots != line.npos)
        line.erase(line.rfind("  (", dots));
      line.erase(line.find_last_not_of(' ') + 1);
      kept += line + '\n';
    }
    return kept;
  }

  std::string data() {
    RowData lines(report_);
    std::string all = lines.header(m_);
    for (const Period& period : m_.periods)
      all += lines.period(m_, period, std::vector{kCycles / 169});
    return all;
  }

  static constexpr std::uint64_t kCycles = 11'794'467'561;
  RowReport report_;
  Measurement m_;
};

TEST_F(Rpistat, TheLayoutIsThePublishedOne) {
  EXPECT_THAT(text(), StartsWith("rpistat: ./naive\n"
                                 "Wed Jun 26 15:12:33 2013\n"
                                 "\n"
                                 "System information\n"
                                 "  Number of processors:     1\n"
                                 "\n"
                                 "Performance events\n"
                                 "  [ ... ] = scaled event count\n"
                                 "  PTI     = per thousand instructions\n"
                                 "  Total periods:      169\n"
                                 "\n"
                                 "  Cycles:             11,794,467,561\n"
                                 "  Instructions:       316,920,650  [1,245,571,"));
}

// The published figures are worked out from the same counts, by periods where ours are by cycles.
TEST_F(Rpistat, FiguresAreThePublishedOnes) {
  const std::string all = text();
  for (const char* line :
       {"  IBUF stall cycles:  69,764,851  [274,192,", "  Instr periods:      43\n",
        "  CPI:                9.469\n", "  IBUF stall percent: 2.325  %\n",
        "\n\n  DC cached accesses: 4,619,258  [18,587,0", "  DC misses:          928,231  [3,735,0",
        "  DC periods:         42\n", "  DC miss ratio:      20.095 %\n",
        "\n\n  MicroTLB misses:    224,704  [904,16", "  Main TLB misses:    164,438  [661,6",
        "  TLB periods:        42\n", "  Micro miss rate:    0.726   PTI\n",
        "  Main miss rate:     0.531   PTI\n", "\n\n  Branches:           33,633,705  [135,335,",
        "  Mispredicted BR:    369,167  [1,485,45", "  BR periods:         42\n",
        "  Branch rate:        108.653 PTI\n", "  Mispredict ratio:   1.098  %\n"})
    EXPECT_THAT(all, HasSubstr(line));
}

TEST_F(Rpistat, WhatWasScaledHasAnInterval) {
  const std::string all = text(true);
  EXPECT_THAT(all, testing::ContainsRegex("Instructions: .*\\]  ± "));
  EXPECT_THAT(all, testing::ContainsRegex("CPI: +9.469    ± "));
  EXPECT_THAT(all, Not(testing::ContainsRegex("Cycles: [^\n]*±")));
}

TEST_F(Rpistat, WhatCouldNotBeCountedIsNeverAZero) {
  report_.rows[4] = {
      .event = "", .absent = {.what = "this PMU has none", .remedy = ""}, .note = ""};
  m_.events[3].duty = Duty::unsupported;
  m_.events[3].reason = "not in a virtual machine";
  m_.events[3].remedy = "run on bare metal";
  const std::string all = to_rpistat(report_, m_, 169, "try a simulation", {});
  EXPECT_THAT(all, HasSubstr("  DC cached accesses: not available (not in a virtual machine)\n"));
  EXPECT_THAT(all, HasSubstr("  DC misses:          not available (this PMU has none)\n"));
  EXPECT_THAT(all, HasSubstr("  DC periods:         not available (none of its events)\n"));
  EXPECT_THAT(all, testing::ContainsRegex("DC miss ratio:      not available \\(needs DC "));
  EXPECT_THAT(all, HasSubstr("Notes\n  - run on bare metal\n"));
  EXPECT_THAT(all, HasSubstr("  - try a simulation\n"));
}

TEST_F(Rpistat, ThePmuANoteAndASimulationAreSaid) {
  report_.rows[3].note = "nonsequential accesses only";
  EXPECT_THAT(to_rpistat(report_, m_, 169, "", {}),
              HasSubstr("  PMU:                      hardware (armv6_1176)\n"));
  EXPECT_THAT(to_rpistat(report_, m_, 169, "", {}),
              testing::ContainsRegex("DC cached acc.*nonsequential accesses only"));
  m_.machine.pmu_kind = PmuKind::simulated;
  m_.machine.cpus = 64;
  const std::string all = to_rpistat(report_, m_, 169, "", {});
  EXPECT_THAT(all, HasSubstr("Number of processors:     1\n"));
  EXPECT_THAT(all, HasSubstr("simulated (armv6_1176): user mode alone"));
}

TEST_F(Rpistat, TheLocalesOwnSeparatorsAreKept) {
  const NumberStyle german{.thousands = ".", .decimal = ",", .grouping = "\3"};
  EXPECT_THAT(to_rpistat(report_, m_, 169, "", german), HasSubstr("11.794.467.561\n"));
  EXPECT_THAT(to_rpistat(report_, m_, 169, "", german), HasSubstr("  CPI:                9,469 "));
}

TEST_F(Rpistat, WithoutTurnsAllIsCountedAllTheTime) {
  m_.sets = 0;
  m_.periods.clear();
  m_.always.assign(9, 1000);
  m_.always_running.assign(9, 1);
  for (std::size_t i = 1; i < m_.events.size(); ++i) {
    m_.events[i].duty = Duty::always;
    m_.events[i].slot = i;
  }
  const std::string all = to_rpistat(report_, m_, 7, "", {});
  EXPECT_THAT(all, HasSubstr("  Instructions:       1,000  [1,000]\n  IBUF"));
  EXPECT_THAT(all, HasSubstr("  Instr periods:      7\n"));
  RowData lines(report_);
  const std::string line = lines.period(m_, {.start_s = 0.5, .duration_s = 0.1, .counts = {}},
                                        std::vector<std::uint64_t>{90, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(line, "90 - 0.500000 0.100000 90 1 2 3 4 5 6 7 8\n");
}

TEST_F(Rpistat, DataHasALineAPeriodUnderNamedColumns) {
  std::istringstream all(data());
  std::string line, last_comment, first;
  std::size_t lines = 0;
  std::uint64_t instructions = 0;
  while (std::getline(all, line)) {
    if (line.starts_with('#')) {
      last_comment = line;
      continue;
    }
    if (++lines == 1) first = line;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 6; ++i) words >> word;
    if (word != "-") instructions += std::stoull(word);
  }
  EXPECT_EQ(lines, 169U);
  EXPECT_EQ(instructions, 316'920'650U);
  EXPECT_EQ(last_comment,
            "# total_cycles set start_s duration_s cycles Instructions IBUF_stall_cycles "
            "DC_cached_accesses "
            "DC_misses MicroTLB_misses Main_TLB_misses Branches Mispredicted_BR");
  EXPECT_THAT(first, StartsWith("69789748 0 0.000000 0.100000 69789748 "));
  EXPECT_THAT(first, testing::EndsWith(" - - - - - -"));
}

TEST_F(Rpistat, TheScriptDrawsWhatWasCounted) {
  m_.events[8].duty = Duty::unsupported;
  const auto script = gnuplot_script(report_, m_, "it's.data", "out.svg");
  ASSERT_TRUE(script);
  EXPECT_THAT(*script, HasSubstr("'it''s.data'"));
  EXPECT_THAT(*script, HasSubstr("set output 'out.svg'"));
  EXPECT_THAT(*script, HasSubstr("title 'Branches'"));
  EXPECT_THAT(*script, Not(HasSubstr("Mispredicted")));
  m_.events[0].duty = Duty::unsupported;
  EXPECT_FALSE(gnuplot_script(report_, m_, "a", "b"));
}

TEST_F(Rpistat, TheTerminalShowsPhases) {
  for (Period& period : m_.periods)
    if (period.set == 3 && period.start_s > 8.4) period.counts = {0, 0};
  std::istringstream lines(data());
  const auto plot = terminal_plot(report_, m_, lines, {});
  ASSERT_TRUE(plot);
  std::istringstream shown(*plot);
  std::string line;
  while (std::getline(shown, line) && line.find("Branches") == line.npos) {
  }
  const std::string bars = line.substr(line.find('|') + 1, line.rfind('|') - line.find('|') - 1);
  const std::string low = "▁", high = "█";
  EXPECT_THAT(bars, StartsWith(high));
  EXPECT_THAT(bars, testing::EndsWith(low));
  EXPECT_EQ(bars.find(low), bars.rfind(high) + high.size()) << bars;  // one change
  std::istringstream empty("# only a comment\nnot a line\n1 2\n");
  EXPECT_TRUE(terminal_plot(report_, m_, empty, {}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
