// The JSON of `tacho stat`, parsed back.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report_samples.hpp"
#include "stat/report.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::ordered_json;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

std::vector<std::string> first(std::vector<std::string> names, std::size_t count) {
  names.resize(count);
  return names;
}

TEST(ReportJson, HasTheSchemasKeysInOrder) {
  const auto json = ordered_json::parse(to_json(samples::turned()));
  EXPECT_EQ(first(keys(json), 12),
            (std::vector<std::string>{"tacho", "command", "exit", "elapsed_s", "user_s", "system_s",
                                      "max_rss_bytes", "pmu", "periods", "period_ms", "events",
                                      "metrics"}));
  EXPECT_EQ(keys(json)[12], "warnings");
  EXPECT_EQ(keys(json["tacho"]), (std::vector<std::string>{"version", "schema"}));
  EXPECT_EQ(keys(json["pmu"]), (std::vector<std::string>{"kind", "name", "counters"}));
  for (const auto& event : json["events"]) {
    EXPECT_EQ(first(keys(event), 9),
              (std::vector<std::string>{"name", "status", "count", "estimate", "ci95", "share",
                                        "periods", "reason", "remedy"}));
  }
  for (const auto& metric : json["metrics"]) {
    EXPECT_EQ(first(keys(metric), 4), (std::vector<std::string>{"name", "value", "ci95", "unit"}));
  }
}

TEST(ReportJson, SaysWhatWasMeasured) {
  const auto json = ordered_json::parse(to_json(samples::turned()));
  EXPECT_EQ(json["tacho"]["version"], "1.2.3");
  EXPECT_EQ(json["tacho"]["schema"], 1);
  EXPECT_EQ(json["command"], (ordered_json{"./naive", "500"}));
  EXPECT_EQ(json["elapsed_s"], 1.25);
  EXPECT_EQ(json["max_rss_bytes"], 6500000);
  EXPECT_EQ(json["pmu"]["counters"], 4);
  EXPECT_EQ(json["periods"], 169);
  EXPECT_EQ(json["reference"], "cycles");
  EXPECT_EQ(json["turn_cost_us"], 41.7);
  EXPECT_EQ(json["warnings"], (ordered_json{"few periods", "the workload has phases"}));
}

TEST(ReportJson, CountsAndEstimatesArePlainIntegers) {
  const auto events = ordered_json::parse(to_json(samples::turned()))["events"];
  EXPECT_EQ(events[0]["count"].dump(), "11794467561");
  EXPECT_EQ(events[0]["estimate"].dump(), "11794467561");
  EXPECT_EQ(events[0]["ci95"], 0);
  EXPECT_EQ(events[1]["estimate"].dump(), "1245571856");
  EXPECT_EQ(events[1]["ci95"], 14900000);
  EXPECT_EQ(events[1]["share"], 0.2544);
  EXPECT_TRUE(events[2]["ci95"].is_null());
}

TEST(ReportJson, IntervalsHaveTheirEnds) {
  const auto json = ordered_json::parse(to_json(samples::turned()));
  const auto& events = json["events"];
  EXPECT_EQ(events[0]["low"].dump(), "11794467561") << "a count is exact";
  EXPECT_EQ(events[0]["high"].dump(), "11794467561");
  EXPECT_NEAR(events[1]["low"].get<double>(), 1245571856 - 14900000, 1e5);
  EXPECT_NEAR(events[1]["high"].get<double>(), 1245571856 + 14900000, 1e5);
  EXPECT_TRUE(events[2]["low"].is_null());
  EXPECT_TRUE(events[2]["high"].is_null());
  EXPECT_EQ(events[3]["low"], 0);
  EXPECT_NEAR(json["metrics"][0]["high"].get<double>(), 9.4692 + 0.021, 1e-4);
  EXPECT_TRUE(json["metrics"][3]["low"].is_null());
  EXPECT_TRUE(json["elapsed_low_s"].is_null()) << "one run";
}

TEST(ReportJson, AnUnsupportedEventCarriesNullAReasonAndARemedy) {
  StatReport report = samples::software();
  EventSummary silent = samples::unsupported("branches");
  silent.count = silent.estimate = silent.ci95 = 0;
  silent.reason.clear();
  silent.remedy.clear();
  silent.status = Status::failed;
  report.summary.events.push_back(silent);
  const auto json = ordered_json::parse(to_json(report));
  std::size_t absent = 0;
  for (const auto& event : json["events"]) {
    if (event["status"] != "unsupported" && event["status"] != "failed") continue;
    ++absent;
    for (const char* key :
         {"count", "estimate", "ci95", "share", "periods", "minimum", "low", "high"}) {
      EXPECT_TRUE(event[key].is_null()) << event["name"] << ' ' << key;
    }
    EXPECT_NE(event["reason"].get<std::string>(), "");
    EXPECT_NE(event["remedy"].get<std::string>(), "");
  }
  EXPECT_EQ(absent, 3U);
  EXPECT_TRUE(json["metrics"][0]["value"].is_null());
  EXPECT_EQ(json["metrics"][0]["reason"], "needs cycles, which was not counted");
}

TEST(ReportJson, TellsHowTheWorkloadEnded) {
  StatReport report = samples::software();
  EXPECT_EQ(ordered_json::parse(to_json(report))["exit"].dump(), R"({"code":0,"signal":null})");
  report.measurement.workload.exit_code = 3;
  EXPECT_EQ(ordered_json::parse(to_json(report))["exit"].dump(), R"({"code":3,"signal":null})");
  report.measurement.workload.signal = 15;
  EXPECT_EQ(ordered_json::parse(to_json(report))["exit"].dump(), R"({"code":null,"signal":15})");
}

TEST(ReportJson, WhatIsNotKnownIsNull) {
  StatReport report = samples::software();
  report.measurement.workload.has_usage = false;
  report.summary.events[1].estimate = std::nan("");
  report.summary.events[2].ci95 = INFINITY;
  const auto json = ordered_json::parse(to_json(report));
  for (const char* key : {"user_s", "system_s", "max_rss_bytes", "reached_period_ms",
                          "turn_cost_us", "elapsed_ci95_s"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_TRUE(json["pmu"]["counters"].is_null());
  EXPECT_TRUE(json["events"][1]["estimate"].is_null());
  EXPECT_TRUE(json["events"][2]["ci95"].is_null());
}

TEST(ReportJson, BytesThatAreNotUtf8AreReplaced) {
  StatReport report = samples::software();
  report.measurement.workload.command = {"./x", "\xff\xfe\"\n"};
  EXPECT_EQ(ordered_json::parse(to_json(report))["command"][1], "\ufffd\ufffd\"\n");
}

TEST(ReportJson, RepeatsListEveryRun) {
  StatReport report = samples::software();
  report.repeats = 3;
  report.elapsed = {1.0, 1.1, 1.2};
  report.summary.events[1].estimate = report.summary.events[1].count = 12.5;
  report.summary.events[1].minimum = 11;
  const auto json = ordered_json::parse(to_json(report));
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["elapsed_runs_s"], (ordered_json{1, 1.1, 1.2}));
  EXPECT_NEAR(json["elapsed_s"].get<double>(), 1.1, 1e-12);
  EXPECT_NEAR(json["elapsed_ci95_s"].get<double>(), 4.30265 * 0.1 / std::sqrt(3), 1e-6);
  EXPECT_NEAR(json["elapsed_low_s"].get<double>() * json["elapsed_high_s"].get<double>(), 1.21,
              1e-9);
  EXPECT_LT(json["elapsed_low_s"], 1.1 - 0.2);
  EXPECT_EQ(json["events"][1]["count"], 12.5);
  EXPECT_EQ(json["events"][1]["minimum"], 11);
}

TEST(ReportJson, HasTheMeasuredErrorOfASimulatedModel) {
  StatReport report = samples::simulated();
  EXPECT_TRUE(ordered_json::parse(to_json(report))["cycles_error"].is_null());
  report.measurement.machine.cycles_error = {9.25, "312 blocks"};
  const auto error = ordered_json::parse(to_json(report))["cycles_error"];
  EXPECT_EQ(error["mean_percent"], 9.25);
  EXPECT_EQ(error["of"], "312 blocks");
}

TEST(ReportJson, ASimulatedRunHasNoWallTimeAndKeepsTheTruth) {
  const auto json = ordered_json::parse(to_json(samples::simulated()));
  for (const char* key :
       {"elapsed_s", "elapsed_runs_s", "elapsed_ci95_s", "user_s", "system_s", "max_rss_bytes"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["simulated_s"], 16.9);
  EXPECT_EQ(json["pmu"]["kind"], "simulated");
  EXPECT_EQ(json["events"][0]["status"], "simulated");
  EXPECT_TRUE(json["events"][0]["truth"].is_null());
  EXPECT_EQ(json["events"][1]["status"], "estimated");
  EXPECT_EQ(json["events"][1]["truth"], 1'240'000'000);
  EXPECT_EQ(json["native"]["elapsed_s"], 1.25);
  EXPECT_EQ(json["native"]["max_rss_bytes"], 6500000);
  EXPECT_EQ(json["native"]["events"][2]["count"], 24060);
  EXPECT_EQ(json["native"]["warnings"][0], "kernel mode is not counted");
  EXPECT_TRUE(json["warnings"].empty());

  const auto native = ordered_json::parse(to_json(samples::software()));
  EXPECT_TRUE(native["simulated_s"].is_null());
  EXPECT_TRUE(native["native"].is_null());
}

TEST(ReportJson, PartsCarryTheirOwnEvents) {
  StatReport report = samples::software();
  report.parts = {{"main (42)", report.summary}};
  const auto part = ordered_json::parse(to_json(report))["parts"][0];
  EXPECT_EQ(part["label"], "main (42)");
  EXPECT_EQ(part["events"][2]["count"], 24060);
  EXPECT_TRUE(part["events"][3]["count"].is_null());
}

}  // namespace
}  // namespace tacho::TEST_FILE
