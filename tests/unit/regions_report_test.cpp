// The section of the regions, held against texts written by hand; and the keys and rows of
// programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "regions/report.hpp"
#include "report_samples.hpp"

namespace tacho::TEST_FILE {
namespace {

const NumberStyle kBritish{",", ".", "\3"};

RegionQuantity ticks(std::uint64_t executions, double mean) {
  RegionQuantity quantity;
  quantity.name = "ticks";
  quantity.executions = executions;
  quantity.total = mean * static_cast<double>(executions);
  quantity.ci95 = 0;
  quantity.share = 1;
  quantity.mean = quantity.median = quantity.p99 = quantity.minimum = quantity.maximum = mean;
  quantity.cost = 62.5;
  return quantity;
}

RegionProcess process(std::string program) {
  RegionSummary region;
  region.program = program;
  region.name = "sort";
  region.clock_hz = 2e9;
  region.threads = 2;
  region.executions = 1000;
  region.quantities = {ticks(1000, 4000)};
  RegionProcess made;
  made.program = std::move(program);
  made.clock = "TSC at 2 GHz, wall-like";
  made.regions = {region};
  return made;
}

StatReport report_of(std::vector<RegionProcess> processes) {
  StatReport report = samples::software();
  report.regions = Regions{.processes = std::move(processes)};
  return report;
}

std::string section(const StatReport& report) {
  return region_text(report.regions, report.measurement.workload, report.repeats, kBritish);
}

TEST(ReportRegions, TextHasATableAndWhatItDoesNotTell) {
  StatReport report = report_of({process("app")});
  RegionProcess& app = report.regions->processes[0];
  app.counting = "one read(2)";
  app.unmatched = 1;
  app.no_memory = 2;
  RegionSummary& region = app.regions[0];
  region.too_short = true;
  region.recursions = 3;
  region.unfinished = 1;
  RegionQuantity estimate = ticks(900, 12.5);
  estimate.name = "instructions";
  estimate.estimated = true;
  estimate.ci95 = 1500;
  estimate.cost = 0;
  RegionQuantity refused;
  refused.name = "cycles";
  refused.reason = "forbidden";
  refused.remedy = "ask";
  region.quantities.push_back(estimate);
  region.quantities.push_back(refused);
  EXPECT_EQ(section(report), R"(
 Regions of 1 process; ticks: TSC at 2 GHz, wall-like; counted by one read(2);
 without the measuring's own cost

   region    executions  threads                          total          mean  median   99 %  minimum  own cost
   sort (!)       1,000        2  ticks               4,000,000         4,000   4,000  4,000    4,000      62.5
                                  time ns             2,000,000         2,000   2,000  2,000    2,000      31.2
                                  instructions  ~11,250 ± 1,500  ~12.5 ± 1.50   ~12.5  ~12.5    ~12.5         0
                                  cycles                      -             -       -      -        -         -

   - (!) 'sort' is too short to trust: it takes less than the cost of measuring
     the regions inside it; put more work into it
   - 'sort' began inside itself 3 times: only the outermost execution is
     measured
   - 'sort': 1 execution is not measured, because it did not end
   - cycles is not counted: forbidden; ask
   - 1 end is ignored: the region had not begun
   - 2 executions are not measured: memory ran out
)");
}

TEST(ReportRegions, SeveralProgramsStandBeforeTheirRegions) {
  const StatReport report = report_of({process("app"), process("app"), process("other\x1b")});
  const std::string text = section(report);
  EXPECT_THAT(text,
              testing::HasSubstr("\n Regions of 3 processes; ticks: TSC at 2 GHz, wall-like;"));
  EXPECT_THAT(text,
              testing::HasSubstr("\n   app: sort             2,000        4  ticks    8,000,000"
                                 "  4,000       -      -    4,000"));
  EXPECT_THAT(text, testing::HasSubstr("\n   other\\x1b: sort       1,000        2  ticks"));
}

TEST(ReportRegions, WithoutAnyTheReasonStandsInEveryFormat) {
  StatReport report = report_of({});
  const std::string reason = "'./naive' reported no regions: it is not linked with tacho's library";
  EXPECT_THAT(section(report), testing::StartsWith("\n Regions\n   - " + reason));
  const auto json = nlohmann::ordered_json::parse(to_json(report));
  EXPECT_THAT(json["warnings"].back().get<std::string>(), testing::StartsWith(reason));
  EXPECT_EQ(json["regions"], nlohmann::ordered_json::array());
  EXPECT_THAT(to_csv(report), testing::HasSubstr(reason));
  report.measurement.workload.signal = 9;
  EXPECT_THAT(section(report), testing::HasSubstr("a signal ended it"));
  report.regions.reset();
  EXPECT_EQ(section(report), "");
  EXPECT_TRUE(nlohmann::ordered_json::parse(to_json(report))["regions"].is_null());
}

TEST(ReportRegions, JsonAndCsvHaveTheFiguresAsTheyAre) {
  const StatReport report = report_of({process("app"), process("app")});
  const auto json = nlohmann::ordered_json::parse(to_json(report));
  ASSERT_EQ(json["regions"].size(), 1U);
  const auto& region = json["regions"][0];
  EXPECT_EQ(region["executions"], 2000);
  EXPECT_EQ(region["ticks_hz"], 2'000'000'000);
  EXPECT_EQ(region["quantities"][0]["total"], 8'000'000);
  EXPECT_EQ(region["quantities"][0]["cost"], 62.5);
  EXPECT_TRUE(region["quantities"][0]["median"].is_null());
  EXPECT_EQ(json["region_processes"].size(), 2U);
  EXPECT_EQ(json["region_processes"][1]["program"], "app");
  std::map<std::string, std::string> figures;
  for (const samples::CsvRow& row : samples::read_csv(to_csv(report)))
    if (row[0] == "region" && row[12] == "app: sort") figures[row[1]] = row[4];
  EXPECT_EQ(figures.at("executions"), "2000");
  EXPECT_EQ(figures.at("ticks"), "8000000");
  EXPECT_EQ(figures.at("ticks median"), "");
  EXPECT_EQ(figures.at("ticks cost"), "62.5");
}

}  // namespace
}  // namespace tacho::TEST_FILE
