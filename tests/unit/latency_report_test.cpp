// The report of tacho latency, from histograms of the first Raspberry Pi (P. J. Drongowski, Memory
// access time, 2013).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "latency/inference/infer.hpp"
#include "latency/report/condition.hpp"
#include "latency/report/csv.hpp"
#include "latency/report/json.hpp"
#include "latency/report/plot.hpp"
#include "latency/report/samples.hpp"
#include "latency/report/text.hpp"
#include "latency/report/trust.hpp"
#include "report/histogram_bars.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

LatencySample sample(std::uint64_t bytes,
                     std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> histogram) {
  LatencySample made;
  made.bytes = bytes;
  made.lines = bytes / 32;
  made.page_bytes = 4096;
  for (const auto& [cycles, count] : histogram) made.singles.add(cycles, count);
  made.bias.add(6, made.singles.total());
  return made;
}

LatencyReport raspberry_pi() {
  LatencyReport report;
  report.version = "0";
  report.processor = "ARM1176";
  report.samples = {sample(8 << 10, {{9, 1000}}),
                    sample(64 << 10, {{9, 49}, {17, 1}, {61, 320}, {62, 571}, {63, 59}}),
                    sample(1 << 20, {{116, 247}, {119, 188}, {121, 229}, {122, 185}, {135, 151}})};
  report.inference = infer_latency(report.samples, {}, 700e6);
  return report;
}

TEST(ReportLatency, AHistogramIsALineForEachTimeWithABarToItsCount) {
  const auto report = raspberry_pi();
  EXPECT_EQ(histogram_bars(report.samples[0].singles, 12),
            "     9   1000 ################################################\n");
  const std::string text = histogram_bars(report.samples[1].singles, 100);
  EXPECT_THAT(text, HasSubstr("     9     49 #####\n"));
  EXPECT_THAT(text, HasSubstr("    61    320 ###########################\n"));
  EXPECT_THAT(text, HasSubstr("    62    571 ################################################\n"));
}

TEST(ReportLatency, EventsThatTookTurnsHaveTheirInterval) {
  LatencyReport report = raspberry_pi();
  EventsOfSizes events{"hardware, arm1176",  4096, {"a", "b", "c", "d"}, {"ns", "", "", ""},
                       {"", "", "", "gone"}, {}};
  events.sizes.push_back({8192, {PerAccess{1.5, 0}, PerAccess{0.25, 0.01}, PerAccess{2, {}}, {}}});
  report.events = events;
  EXPECT_THAT(latency_text(report, {}),
              HasSubstr("Events for each access, on pages of 4.0 KiB (hardware, arm1176)"));
  EXPECT_EQ(nlohmann::json::parse(latency_json(report))["events"]["page_bytes"], 4096);
  EXPECT_THAT(latency_text(report, NumberStyle()),
              testing::ContainsRegex("8.0 KiB +1.500 +0.250 ± 0.010 +~2.000 +-\n"));
  EXPECT_THAT(latency_csv(report),
              testing::ContainsRegex("\nevent,a,8192,[^\n]*,1.5,[^\n]*,ns,\n"));
  EXPECT_THAT(latency_csv(report), testing::ContainsRegex("\nevent,b,8192,[^\n]*,0.25,[^\n]*,\n"));
  EXPECT_THAT(latency_text(report, {}), testing::ContainsRegex("list +a, ns +b +c +d\n"));
  EXPECT_EQ(nlohmann::json::parse(latency_json(report))["events"]["units"],
            nlohmann::json({{"a", "ns"}}));
  const auto size = nlohmann::json::parse(latency_json(report))["events"]["sizes"][0];
  EXPECT_EQ(size["per_access"]["b"], 0.25);
  EXPECT_EQ(size["per_access_ci95"]["b"], 0.01);
  EXPECT_EQ(size["per_access_ci95"]["a"], 0);
  EXPECT_TRUE(size["per_access_ci95"]["c"].is_null());
}

TEST(ReportLatency, AWideHistogramIsFoldedAndItsTailIsCounted) {
  Histogram wide;
  for (std::uint64_t i = 0; i < 1000; ++i) wide.add(100 + i / 2);
  wide.add(1'000'000);
  const std::string text = histogram_bars(wide, 10);
  EXPECT_LE(std::ranges::count(text, '\n'), 12);
  EXPECT_THAT(text, HasSubstr("more\n"));
  EXPECT_THAT(text, Not(HasSubstr("1000000")));
}

TEST(ReportLatency, TextHasTheSizesWithoutTheBias) {
  const std::string text = latency_text(raspberry_pi(), {});
  EXPECT_THAT(text, HasSubstr("ARM1176, CPU 0: 3 sizes"));
  EXPECT_THAT(text, testing::ContainsRegex("8.0 KiB +4.0 KiB +3.00"));
  EXPECT_THAT(text, testing::ContainsRegex("64.0 KiB +4.0 KiB +5[56]"));
}

TEST(ReportLatency, AListOnASharedCoreSaysSoIfItIsUsed) {
  LatencyReport report = raspberry_pi();
  report.samples[1].core_shared = true;
  report.inference = infer_latency(report.samples, {}, 700e6);
  EXPECT_FALSE(report.inference.sizes[1].disturbed);
  EXPECT_THAT(latency_text(report, {}),
              testing::ContainsRegex("64.0 KiB .*another thread used the core\n"));
  EXPECT_THAT(latency_csv(report), HasSubstr(",another thread used the core,"));
  EXPECT_EQ(nlohmann::json::parse(latency_json(report))["sizes"][1]["core_shared"], true);
}

TEST(ReportLatency, JsonHasTheKeysOfTheSchema) {
  const auto json = nlohmann::json::parse(latency_json(raspberry_pi()));
  for (const char* key :
       {"tick_hz", "core_hz", "bias_ticks", "seconds", "warnings", "tiers", "tlb"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["bias_ticks"], 6);
  ASSERT_EQ(json["sizes"].size(), 3U);
  EXPECT_EQ(json["sizes"][0]["cycles"], 3);
  EXPECT_EQ(json["sizes"][0]["samples"], 1000);
  EXPECT_EQ(json["sizes"][0]["disturbed"], false);
  EXPECT_EQ(json["sizes"][0]["core_shared"], false);
  EXPECT_TRUE(json["stolen_s"].is_null()) << "the kernel did not report it";
}

TEST(ReportLatency, EveryRowOfCsvHasTheColumnsOfTheHeader) {
  LatencyReport report = raspberry_pi();
  report.warnings = {"one, with a comma"};
  std::istringstream lines(latency_csv(report));
  std::string header;
  std::getline(lines, header);
  const auto columns = std::ranges::count(header, ',');
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(std::ranges::count(line, ','), columns + (line.contains('"') ? 1 : 0)) << line;
  EXPECT_GE(rows, 4);
}

TEST(ReportLatency, CsvHasTheIntervalsThatJsonHas) {
  LatencyReport report = raspberry_pi();
  Tier l1;
  l1.name = "L1";
  l1.capacity_bytes = 16384;
  l1.capacity = Interval{15000, 17000};
  l1.small_pages_extra_cycles = 1.5;
  l1.advertised_bytes = 32768;
  l1.advertised_ways = 8;
  Tier memory;
  memory.name = "memory";
  report.inference.tiers = {l1, memory};
  report.inference.tlb = {{"L2 TLB", 4096, 64, {60, 70}, 7.5, 40, 1, 72}};
  std::istringstream csv(latency_csv(report));
  std::vector<std::string> header;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(csv, line);) {
    std::istringstream fields(line + ',');
    std::vector<std::string> row;
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
    if (header.empty())
      header = row;
    else
      for (std::size_t i = 0, at = (rows.emplace_back(), rows.size() - 1); i < row.size(); ++i)
        rows[at][header.at(i)] = row[i];
  }
  EXPECT_EQ(rows.at(0)["low"] + ' ' + rows[0]["high"], "15000 17000");
  EXPECT_EQ(rows[0]["small_pages_extra_cycles"], "1.5");
  EXPECT_EQ(rows[0]["advertised_bytes"] + ' ' + rows[0]["advertised_ways"], "32768 8");
  EXPECT_THAT(latency_text(report, {}), HasSubstr(" 32.0 KiB, 8 ways "));
  const auto tiers = nlohmann::json::parse(latency_json(report))["tiers"];
  EXPECT_EQ(tiers[0]["advertised_ways"], 8);
  EXPECT_TRUE(tiers[1]["advertised_ways"].is_null());
  EXPECT_EQ(rows.at(1)["name"] + rows[1]["low"] + rows[1]["high"], "memory") << "no end was seen";
  EXPECT_EQ(rows.at(2)["low"] + ' ' + rows[2]["high"], "60 70");
  EXPECT_EQ(rows[2]["hit_extra_cycles"], "7.5");
}

TEST(ReportLatency, CsvHasNodesAndTrustAsJsonHas) {
  LatencyReport report = raspberry_pi();
  report.partial = true;
  report.nodes =
      LatencyMatrix{"nodes", {0}, {0, 1}, {Estimated{80.5, 80, 81}, std::nullopt}, false};
  const auto json = nlohmann::json::parse(latency_json(report));
  const std::string csv = latency_csv(report);
  EXPECT_THAT(csv, HasSubstr("\nnode,0 to 0,,,,,,,,80.5,,,,,80,81,"));
  EXPECT_THAT(csv, HasSubstr("\nnode,0 to 1,,,,,,,,,,,,,,,"));
  EXPECT_THAT(csv, HasSubstr("\ntrust," + json["trust"]["word"].get<std::string>() + ","));
  for (const auto& reason : json["trust"]["reasons"])
    EXPECT_THAT(csv, HasSubstr(reason.get<std::string>()));
}

TEST(ReportLatency, TheConditionFollowsFromTheKindOfLevel) {
  Tier tier{.name = "L2"};
  EXPECT_EQ(condition(tier), "hit in L2");
  tier.tlb_subtracted = true;
  EXPECT_EQ(condition(tier), "hit in L2, TLB misses taken off");
  EXPECT_EQ(condition(tier, "x"), "hit in L2, x");
  tier = {.name = "L3 or memory", .kind = TierKind::cache_or_memory};
  EXPECT_EQ(condition(tier), "L3 or memory");
  tier = {.name = "memory", .kind = TierKind::memory};
  EXPECT_EQ(condition(tier), "memory");
  tier.kind = TierKind::unexplained;
  EXPECT_EQ(condition(tier), "memory, no advertised cache: perhaps within the reach of the TLB");
}

TEST(ReportLatency, AClockWithStepsSaysSo) {
  LatencyReport report = raspberry_pi();
  report.clock = "TSC";
  EXPECT_EQ(nlohmann::json::parse(latency_json(report))["clock"], "TSC");
  report.clock_step = 26;
  EXPECT_EQ(nlohmann::json::parse(latency_json(report))["clock"], "TSC, in steps of 26");
  EXPECT_THAT(latency_text(report, {}), HasSubstr("TSC, which advances by 26 ticks at a time"));
}

TEST(ReportLatency, AValueIsNotRoundedFurtherThanItsInterval) {
  LatencyReport report = raspberry_pi();
  Tier memory;
  memory.name = "memory";
  memory.kind = TierKind::memory;
  memory.cycles = 131.46;
  memory.ci95_cycles = 0.05;
  report.inference.tiers = {memory};
  EXPECT_THAT(latency_text(report, {}), testing::ContainsRegex("memory +131.46 +± 0.05"));
  report.inference.tiers[0].ci95_cycles = 12.3;
  EXPECT_THAT(latency_text(report, {}), testing::ContainsRegex("memory +131 +± 12 "));
}

TEST(ReportLatency, SamplesAreTheHistogramsWithoutTheBias) {
  const std::string csv = latency_samples(raspberry_pi());
  EXPECT_THAT(csv, HasSubstr("\n8192,256,4096,packed,single,3.000,1000\n"));
  EXPECT_THAT(csv, HasSubstr("\n65536,2048,4096,packed,single,56.000,571\n"));
  EXPECT_THAT(csv, HasSubstr("\n8192,256,4096,packed,bias,6.000,1000\n"));
}

TEST(ReportLatency, TextNamesOneSizeAndTheAccess) {
  LatencyReport report = raspberry_pi();
  report.samples.resize(1);
  report.inference = infer_latency(report.samples, {}, 700e6);
  report.warnings = report.inference.warnings;
  report.access = "atomic addition";
  const std::string text = latency_text(report, {});
  EXPECT_THAT(text, HasSubstr(": 1 size in 0.0 s"));
  EXPECT_THAT(text, HasSubstr("Each access is an atomic addition."));
  EXPECT_THAT(text, HasSubstr("atomic additions of 8.0 KiB on pages of 4.0 KiB; cycles"));
  EXPECT_THAT(text, Not(HasSubstr(" loads of ")));
  const std::string script = latency_plot_script(report, "x.data", "x.svg");
  EXPECT_THAT(script, HasSubstr("ylabel 'cycles per atomic addition'"));
  EXPECT_THAT(script, HasSubstr("title 'single atomic additions'"));
  EXPECT_THAT(text, HasSubstr("1 undisturbed list shows no level"));
}

TEST(ReportLatency, TrustFallsWithTheWeightOfTheDoubts) {
  LatencyReport report = raspberry_pi();
  EXPECT_EQ(trust(report).word, "good");
  report.seconds = 10;
  report.waited_s = 5;
  EXPECT_EQ(trust(report).word, "fair");
  report.partial = true;
  const Confidence poor = trust(report);
  EXPECT_EQ(poor.word, "poor");
  EXPECT_THAT(poor.reasons,
              testing::ElementsAre(HasSubstr("ended before"), HasSubstr("5.0 of 10.0 s")));
}

TEST(ReportLatency, ASimulationIsNeitherGoodNorExact) {
  LatencyReport report = raspberry_pi();
  report.simulated = true;
  EXPECT_EQ(trust(report).word, "simulated");
  report.partial = true;
  EXPECT_EQ(trust(report).word, "poor");
  EXPECT_THAT(trust(report).reasons, testing::ElementsAre(HasSubstr("ended before")));
}

TEST(ReportLatency, AMatrixLeavesOutMissingValues) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const LatencyMatrix matrix{"core to core and back",
                             {0, 1},
                             {0, 1},
                             {{}, Estimated{50, 49, 52}, Estimated{60, -kUnknown, kUnknown}, {}}};
  EXPECT_EQ(matrix_text(matrix, {}),
            "core to core and back, ns\n"
            "            0           1\n"
            "  0         -  50.0 ± 2.0\n"
            "  1  60.0 (?)           -\n");
  EXPECT_EQ(matrix_csv(matrix), "from,to,ns,low,high\n0,0,,,\n0,1,50,49,52\n1,0,60,,\n1,1,,,\n");
  const auto json = nlohmann::json::parse(matrix_json(matrix, "0"));
  EXPECT_TRUE(json["cores"]["ns"][0][0].is_null());
  EXPECT_EQ(json["cores"]["ns"][1][0], 60);
  EXPECT_EQ(json["cores"]["ns_ci95"][0][1], (std::vector{49, 52}));
  EXPECT_TRUE(json["cores"]["ns_ci95"][1][0].is_null());
  EXPECT_EQ(json["cores"]["partial"], false);
}

TEST(ReportLatency, ParallelWalksHaveTheirIntervals) {
  LatencyReport report = raspberry_pi();
  report.parallel.push_back({"L1", 8192, 2, {2.5, 2.25, 3}});
  report.parallel.push_back({"L1", 8192, 4, {0.5, 0.499, 0.501}});
  EXPECT_THAT(latency_text(report, {}), HasSubstr("2.50 ± 0.50"));
  EXPECT_THAT(latency_text(report, {}), HasSubstr("0.50 ± <0.01"));
  EXPECT_THAT(latency_csv(report), HasSubstr("parallel,L1,8192,,,,,,,2.5,,,2,,2.25,3,"));
  const auto json = nlohmann::json::parse(latency_json(report))["parallel"][0];
  EXPECT_EQ(json["ns_per_access"], 2.5);
  EXPECT_EQ(json["ns_per_access_ci95"], (std::vector{2.25, 3.0}));
}

TEST(ReportLatency, AMatrixThatWasEndedSaysSo) {
  const LatencyMatrix matrix{
      "core to core and back", {0, 1}, {0, 1}, {{}, Estimated{50, 49, 51}, {}, {}}, true};
  EXPECT_THAT(matrix_text(matrix, {}), StartsWith("core to core and back, ns (partial"));
  EXPECT_EQ(nlohmann::json::parse(matrix_json(matrix, "0"))["cores"]["partial"], true);
}

TEST(ReportLatency, AnUnknownCoreClockIsNotZero) {
  LatencyReport report = raspberry_pi();
  for (LatencySample& sample : report.samples) sample.disturbed_share = 1;
  report.inference = infer_latency(report.samples, {}, 700e6);
  EXPECT_TRUE(nlohmann::json::parse(latency_json(report))["core_hz"].is_null());
  const std::string text = latency_text(report, {});
  EXPECT_THAT(text, Not(HasSubstr("0.00 GHz")));
  EXPECT_THAT(text, Not(HasSubstr("cycles per tick")));
  EXPECT_THAT(text, HasSubstr("the core's clock is unknown, because all lists were disturbed"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
