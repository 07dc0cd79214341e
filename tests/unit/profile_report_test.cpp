// Reports of a profile: JSON, CSV and the formats of viewers, each checked against its description.
#include "profile/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "events_made_up_tree.hpp"
#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kUser = ~std::uint64_t{0} - 511;  // PERF_CONTEXT_USER

// outer calls inner (3 samples) and has 1 sample itself. inner has a sample of another event.
class ReportProfile : public testing::Test {
 protected:
  ReportProfile() : recording_({"cpu-clock", "cycles"}) {
    tree_.write("perf-5.map", "1000 100 outer;first\n1200 100 inner\n");
    recording_.description.command = {"program", "with space"};
    recording_.description.events[0].type = PERF_TYPE_SOFTWARE;
    recording_.description.events[0].config = PERF_COUNT_SW_CPU_CLOCK;
    recording_.map(5, 0x1000, 0x1000, "//anon");
    for (int i = 0; i < 3; ++i) recording_.sample(5, 0x1210, 0, 1000, {kUser, 0x1210, 0x1010});
    recording_.sample(5, 0x1020, 0, 1000, {kUser, 0x1020});
    recording_.sample(5, 0x1210, 1, 7, {kUser, 0x1210, 0x1010});
  }
  template <class Use>
  auto with_names(const Use& use) {
    SymbolSources sources;
    sources.perf_maps = tree_.path();
    Resolver resolver(recording_.finished().modules(), recording_.description, sources);
    return use(resolver);
  }
  template <class Format>
  std::string exported(const Format& format) {
    return with_names([&](Resolver& resolver) {
      return whole(format({recording_.profile, recording_.description, resolver, 0, "1.2.3"}));
    });
  }
  ProfileSummary summary(SortBy sort = SortBy::function) {
    return with_names([&](Resolver& resolver) {
      return summarize(recording_.profile, recording_.description, resolver, sort, 0, {});
    });
  }

  MadeUpTree tree_;
  MadeUpRecording recording_;
};

// With perf, users can rename an event (cpu-clock/name=time/).
TEST_F(ReportProfile, AClockIsRecognizedByItsTypeAndNotByItsName) {
  recording_.description.events[0].name = "time";
  recording_.description.events[1].name = "cpu-clock-changes";
  const std::string text = profile_text(summary(), 0, {});
  EXPECT_THAT(text, HasSubstr("time: 4 samples, one every 1000, standing for 0.0 ms"));
  EXPECT_THAT(text,
              HasSubstr("cpu-clock-changes: 1 sample, one every 1000, standing for 7 events"));
}

TEST_F(ReportProfile, AdviceOnTheOrderOfRowsNeedsTwentySamplesEach) {
  EXPECT_THAT(profile_text(summary(), 0, {}), Not(HasSubstr("not significant")));  // 3 and 1
  for (int i = 0; i < 27; ++i) recording_.sample(5, 0x1210, 0, 1000);
  for (int i = 0; i < 27; ++i) recording_.sample(5, 0x1020, 0, 1000);
  EXPECT_THAT(profile_text(summary(), 0, {}),
              HasSubstr("The order of rows 1 and 2 is not significant"));  // 30 and 28
}

TEST_F(ReportProfile, NobodyIsAdvisedToRecordAThousandTimesAsLong) {
  for (int i = 0; i < 1000; ++i) recording_.sample(5, 0x1210, 0, 1000);
  for (int i = 0; i < 1001; ++i) recording_.sample(5, 0x1020, 0, 1000);
  const std::string text = profile_text(summary(), 0, {});
  EXPECT_THAT(text, HasSubstr("100 times as many"));
  EXPECT_THAT(text, Not(HasSubstr("more would show it")));
}

// JSON and CSV name a function alike, and both have its signature.
TEST_F(ReportProfile, CsvNamesFunctionsAsJsonDoes) {
  tree_.write("perf-5.map", "1000 300 _ZSt4swapIiEvRT_S1_\n");  // void std::swap<int>(int&, int&)
  const ProfileSummary found = summary();
  const json row = json::parse(profile_json(found, 0, "1.2.3"))["rows"][0];
  EXPECT_EQ(row["function"], "std::swap<int>");
  const std::string csv = profile_csv(found, 0);
  EXPECT_THAT(csv, HasSubstr(",std::swap<int>,"));
  EXPECT_THAT(csv, HasSubstr(",\"void std::swap<int>(int&, int&)\"\n"));
}

TEST_F(ReportProfile, JsonHasWhatTheSchemaPromises) {
  const json found = json::parse(profile_json(summary(SortBy::instruction), 0, "1.2.3"));
  EXPECT_EQ(found["tacho"]["schema"], 1);
  EXPECT_EQ(found["sort"], "instruction");
  for (const char* key : {"name", "samples", "lost", "period"})
    EXPECT_TRUE(found["events"][0].contains(key)) << key;
  EXPECT_EQ(found["events"][0]["samples"], 4);
  ASSERT_EQ(found["rows"].size(), 3U);
  for (const char* key :
       {"module", "function", "file", "line", "address", "samples", "share", "ci95", "metrics"})
    EXPECT_TRUE(found["rows"][0].contains(key)) << key;
  EXPECT_EQ(found["rows"][0]["function"], "inner");
  EXPECT_EQ(found["rows"][0]["address"], "0x1210");
  EXPECT_EQ(found["rows"][0]["share"], 0.75);
  EXPECT_EQ(found["rows"][0]["file"], nullptr) << "not told";
  EXPECT_LT(found["rows"][0]["ci95"][0], 0.75);
  EXPECT_GT(found["rows"][0]["ci95"][1], 0.75);
}

// The only sample of cycles stands for 7. Wilson's interval of 1 of 1 is 1 / (1 + 1.96²) to 1; the
// one of 0 of 1 is the rest.
TEST_F(ReportProfile, CountsOfEveryEventHaveIntervals) {
  const json rows = json::parse(profile_json(summary(), 0, "1.2.3"))["rows"];
  EXPECT_EQ(rows[0]["events"][1]["count"], 7);
  EXPECT_NEAR(rows[0]["events"][1]["ci95"][0], 1.4458, 1e-3);
  EXPECT_EQ(rows[0]["events"][1]["ci95"][1], 7);
  EXPECT_EQ(rows[1]["events"][1]["count"], 0);
  EXPECT_EQ(rows[1]["events"][1]["ci95"][0], 0);
  EXPECT_NEAR(rows[1]["events"][1]["ci95"][1], 5.5542, 1e-3);
  const std::string text = profile_text(summary(), 0, {});
  EXPECT_THAT(text, HasSubstr("~7  (1…7) "));
  EXPECT_THAT(text, HasSubstr("~0  (0…6) "));
}

TEST_F(ReportProfile, AnEventWithoutASampleHasNoKnownCount) {
  recording_.description.events.emplace_back();
  recording_.description.events.back().name = "page-faults";
  const auto of_row = [&] {
    return json::parse(profile_json(summary(), 0, "1.2.3"))["rows"][0]["events"][2];
  };
  EXPECT_EQ(of_row()["count"], nullptr) << "read with its group's leader";
  recording_.description.events.back().period = 1000;
  EXPECT_EQ(of_row()["count"], 0);
  EXPECT_EQ(of_row()["ci95"], nullptr) << "it may have happened a thousand times";
}

TEST_F(ReportProfile, TotalsHaveIntervalsLikeShares) {
  const json rows = json::parse(profile_json(summary(), 0, "1.2.3"))["rows"];
  EXPECT_EQ(rows[0]["total_ci95"], rows[0]["ci95"]) << "it calls nothing";
  EXPECT_EQ(rows[1]["total"],
            1);  // in all four; Wilson's interval of 4 of 4 is 4 / (4 + 1.96²) to 1
  EXPECT_NEAR(rows[1]["total_ci95"][0], 0.5101, 1e-4);
  EXPECT_EQ(rows[1]["total_ci95"][1], 1);
}

// An event that is only read with its group's leader did occur: a count of 0 would be wrong.
TEST_F(ReportProfile, AnEventThatWasNotSampledItselfHasNoCount) {
  recording_.description.events.emplace_back();
  recording_.description.events.back().name = "page-faults";
  EXPECT_THAT(profile_text(summary(), 0, {}), HasSubstr("page-faults: not sampled itself"));
  const json found = json::parse(profile_json(summary(), 0, "1.2.3"));
  EXPECT_EQ(found["events"][2]["count"], nullptr);
  recording_.description.events.back().period = 1000;
  EXPECT_THAT(profile_text(summary(), 0, {}), HasSubstr("page-faults: 0 samples"));
}

TEST_F(ReportProfile, EveryRowOfCsvHasTheColumnsOfTheHeader) {
  std::istringstream lines(profile_csv(summary(), 0));
  std::string header;
  std::getline(lines, header);
  EXPECT_THAT(header, HasSubstr("function"));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(header, ',')) << line;
  EXPECT_EQ(rows, 2);
}

TEST_F(ReportProfile, TextShowsSharesWithIntervalsAndColoursOnlyWhenAsked) {
  const std::string text = profile_text(summary(), 0, {});
  EXPECT_THAT(text, testing::ContainsRegex("3 +~0.0030 ms +75.0 % +30.1…95.4 % +75.0 % "
                                           "+30.1…95.4 %"));
  EXPECT_THAT(text, HasSubstr("program 'with space'"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\033")));
  EXPECT_THAT(profile_text(summary(), 0, {{}, true}), HasSubstr("\033[31m"));
  const std::string one = profile_text(summary(), 1, {});
  EXPECT_THAT(one, HasSubstr("1 row more"));
  EXPECT_THAT(one, testing::Not(HasSubstr("told apart"))) << "the other is not to be seen";
}

// Misses per thousand instructions can be few: no more digits are shown than the interval
// justifies.
TEST_F(ReportProfile, TextShowsMetricsWithTheDigitsThatTheirIntervalsJustify) {
  ProfileSummary found = summary();
  found.rows[0].metrics = {{"LLC miss rate", "PTI", 0.00312, 0.00124}};
  found.rows[1].metrics = {{"LLC miss rate", "PTI", 1234.5, 456.7}};
  const std::string text = profile_text(found, 0, {});
  EXPECT_THAT(text, HasSubstr("0.0031  (0.0021…0.0046)"));
  EXPECT_THAT(text, testing::ContainsRegex(" 1200 +\\(900…1800\\) "));
}

TEST_F(ReportProfile, FoldedStacksHaveALineForEachChainOfFunctions) {
  EXPECT_EQ(exported(profile_folded), "outer:first 1000\nouter:first;inner 3000\n");
}

TEST_F(ReportProfile, AnUnknownModuleHasOnePairOfBracketsInFoldedStacks) {
  recording_.sample(7, 0x1210);  // process 7 has no mapping
  EXPECT_THAT(exported(profile_folded), HasSubstr("[unknown] 1000\n"));
  EXPECT_THAT(exported(profile_folded), Not(HasSubstr("[[")));
}

// pprof takes the first mapping for the program.
TEST_F(ReportProfile, PprofsFirstMappingIsTheProgram) {
  recording_.map(6, 0x1000, 0x1000, "/lib/libc.so.6");
  recording_.map(6, 0x3000, 0x1000, "/bin/the_program");
  for (int i = 0; i < 9; ++i) recording_.sample(6, 0x1010);
  recording_.sample(6, 0x3010);
  const std::string encoded = exported(profile_pprof);
  // A mapping is a field of type 3 with a length; its first field is the id, one more than the
  // index of the module.
  std::size_t program = 0;
  for (std::size_t i = 0; i < recording_.profile.modules().size(); ++i)
    if (recording_.profile.modules()[i].path == "/bin/the_program") program = i + 1;
  ASSERT_GT(program, 1U) << "another module was seen before";
  const std::size_t first = encoded.find("\x1a\x06\x08");
  EXPECT_EQ(first, encoded.find(std::string("\x1a\x06\x08") + static_cast<char>(program)));
}

// Readers of proto3 refuse strings that are not UTF-8.
TEST_F(ReportProfile, PprofEscapesPathsThatAreNotUtf8) {
  recording_.map(6, 0x1000, 0x1000, "/odd\xff/caf\xc3\xa9");
  recording_.sample(6, 0x1010);
  EXPECT_THAT(exported(profile_pprof), HasSubstr("/odd\\xff/caf\xc3\xa9"));
}

// The fields that the schema requires, and indices within their range.
TEST_F(ReportProfile, SpeedscopeHasWhatItsSchemaRequires) {
  const json found = json::parse(exported(profile_speedscope));
  EXPECT_EQ(found["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const json& frames = found["shared"]["frames"];
  ASSERT_EQ(found["profiles"].size(), 2U);
  for (const json& profile : found["profiles"]) {
    EXPECT_EQ(profile["type"], "sampled");
    for (const char* key : {"name", "unit", "startValue", "endValue", "samples", "weights"})
      ASSERT_TRUE(profile.contains(key)) << key;
    EXPECT_TRUE((std::set<std::string>{"none", "nanoseconds"}.contains(profile["unit"])));
    ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
    std::uint64_t sum = 0;
    for (const json& weight : profile["weights"]) sum += weight.get<std::uint64_t>();
    EXPECT_EQ(profile["endValue"], sum);
    for (const json& sample : profile["samples"])
      for (const json& frame : sample) EXPECT_LT(frame.get<std::size_t>(), frames.size());
  }
  EXPECT_EQ(found["profiles"][0]["endValue"], 4000);
  const json& first = found["profiles"][0]["samples"][0];
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(frames[first[0].get<std::size_t>()]["name"], "outer;first") << "outermost first";
  EXPECT_EQ(frames[first[1].get<std::size_t>()]["name"], "inner");
}

// The tables of docs-developer/processed-profile-format.md and src/types/profile.js, version 47.
TEST_F(ReportProfile, FirefoxTablesHaveColumnsOfOneLengthAndIndicesInRange) {
  const json found = json::parse(exported(profile_firefox));
  for (const char* key : {"interval", "startTime", "processType", "product", "stackwalk", "version",
                          "preprocessedProfileVersion", "categories", "markerSchema"})
    EXPECT_TRUE(found["meta"].contains(key)) << key;
  EXPECT_EQ(found["meta"]["preprocessedProfileVersion"], 47);
  ASSERT_EQ(found["threads"].size(), 2U);
  const std::map<std::string, std::vector<std::string>> tables{
      {"samples", {"stack", "time", "weight", "threadCPUDelta"}},
      {"markers", {"data", "name", "startTime", "endTime", "phase", "category"}},
      {"stackTable", {"frame", "category", "subcategory", "prefix"}},
      {"frameTable",
       {"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
        "innerWindowID", "implementation", "line", "column"}},
      {"funcTable",
       {"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"}},
      {"resourceTable", {"lib", "name", "host", "type"}},
      {"nativeSymbols", {"libIndex", "address", "name", "functionSize"}}};
  for (const json& thread : found["threads"]) {
    for (const char* key :
         {"processType", "processStartupTime", "processShutdownTime", "registerTime",
          "unregisterTime", "pausedRanges", "name", "isMainThread", "pid", "tid", "stringArray"})
      EXPECT_TRUE(thread.contains(key)) << key;
    EXPECT_TRUE(thread["pid"].is_string());
    for (const auto& [name, columns] : tables) {
      const auto length = thread[name]["length"].get<std::size_t>();
      for (const std::string& column : columns) {
        ASSERT_TRUE(thread[name].contains(column)) << name << '.' << column;
        EXPECT_EQ(thread[name][column].size(), length) << name << '.' << column;
      }
    }
    const auto below = [&](const json& column, std::size_t limit, const char* what) {
      for (const json& index : column)
        EXPECT_LT(index.is_null() ? 0 : index.get<std::size_t>(), limit) << what;
    };
    const auto length = [&](const char* table) {
      return thread[table]["length"].get<std::size_t>();
    };
    below(thread["samples"]["stack"], length("stackTable"), "samples.stack");
    below(thread["stackTable"]["frame"], length("frameTable"), "stackTable.frame");
    below(thread["frameTable"]["func"], length("funcTable"), "frameTable.func");
    below(thread["frameTable"]["nativeSymbol"], length("nativeSymbols"), "frameTable.nativeSymbol");
    below(thread["funcTable"]["name"], thread["stringArray"].size(), "funcTable.name");
    below(thread["funcTable"]["resource"], length("resourceTable"), "funcTable.resource");
    below(thread["resourceTable"]["lib"], found["libs"].size(), "resourceTable.lib");
    below(thread["nativeSymbols"]["libIndex"], found["libs"].size(), "nativeSymbols.libIndex");
    for (std::size_t i = 0; i < length("stackTable"); ++i) {
      const json& prefix = thread["stackTable"]["prefix"][i];
      EXPECT_TRUE(prefix.is_null() || prefix.get<std::size_t>() < i) << "callers stand first";
    }
    double time = 0;
    for (const json& each : thread["samples"]["time"]) {
      EXPECT_GE(each.get<double>(), time);
      time = each.get<double>();
    }
  }
  EXPECT_EQ(found["threads"][0]["samples"]["weight"], json::parse("[3,1]"));
  EXPECT_EQ(found["threads"][0]["samples"]["threadCPUDelta"], json::parse("[3000,1000]"))
      << "ns of the clock";
  EXPECT_EQ(found["threads"][1]["samples"]["threadCPUDelta"], json::parse("[null]")) << "cycles";
  EXPECT_EQ(found["meta"]["sampleUnits"]["threadCPUDelta"], "ns");
}

TEST_F(ReportProfile, FirefoxNamesThePlatform) {
  recording_.description.architecture = "aarch64";
  recording_.description.cpu = "Cortex-A72";
  recording_.description.cpus_online = 4;
  const json meta = json::parse(exported(profile_firefox))["meta"];
  EXPECT_EQ(meta["platform"], "Linux");
  EXPECT_EQ(meta["oscpu"], "Linux aarch64");
  EXPECT_EQ(meta["CPUName"], "Cortex-A72");
  EXPECT_EQ(meta["logicalCPUs"], 4);
}

TEST_F(ReportProfile, FirefoxShowsKeptSamplesOverTimeThreadByThread) {
  MadeUpRecording timed({"cpu-clock"});
  timed.profile.keep_samples();
  timed.map(5, 0x1000, 0x1000, "//anon");
  // Not sorted by time, as in recordings of several CPUs.
  for (const auto& [tid, ms, ip] : std::vector<std::array<int, 3>>{
           {6, 9, 0x1210}, {5, 1, 0x1020}, {6, 3, 0x1210}, {5, 2, 0x1210}}) {
    perfdata::Sample sample;
    sample.mode = perfdata::Mode::user;
    sample.pid = 5;
    sample.tid = tid;
    sample.ip = static_cast<std::uint64_t>(ip);
    sample.time_ns = 1'000'000 * static_cast<std::uint64_t>(ms);
    timed.add(sample);
  }
  timed.finished();
  const json found = json::parse(with_names([&](Resolver& resolver) {
    return whole(profile_firefox({timed.profile, timed.description, resolver, 0, "1.2.3"}));
  }));
  ASSERT_EQ(found["threads"].size(), 2U);
  const json& first = found["threads"][0];
  const json& second = found["threads"][1];
  EXPECT_EQ(first["samples"]["time"], json::parse("[0,1]")) << "ms since the first of all";
  EXPECT_EQ(second["samples"]["time"], json::parse("[2,8]"));
  EXPECT_EQ(first["samples"]["stack"], json::parse("[0,1]"));
  EXPECT_EQ(second["samples"]["stack"], json::parse("[0,0]"));
  EXPECT_EQ(first["pid"], second["pid"]);
  EXPECT_EQ(first["tid"], 5);
  EXPECT_EQ(second["tid"], 6);
  EXPECT_EQ(first["isMainThread"], true);
  EXPECT_EQ(second["isMainThread"], false);
  EXPECT_EQ(second["stringArray"], json::parse(R"(["inner","[anonymous of process 5]"])"))
      << "what it refers to";
}

// The samples of a second event in a thread make another thread.
TEST_F(ReportProfile, FirefoxThreadsHaveTheNamesOfTheRecordedThreads) {
  for (const std::vector<std::string>& events :
       {std::vector<std::string>{"cycles"}, {"cycles", "page-faults"}}) {
    MadeUpRecording timed(events);
    timed.profile.keep_samples();
    timed.exec(5, "server");
    for (const std::int32_t tid : {6, 7}) timed.add(perfdata::Fork{5, 5, tid, 5});
    timed.add(perfdata::Command{.pid = 5, .tid = 6, .name = "worker"});
    for (std::size_t event = 0; event < events.size(); ++event)
      for (const std::int32_t tid : {5, 6, 7}) {
        perfdata::Sample sample;
        sample.event = event;
        sample.pid = 5;
        sample.tid = tid;
        sample.ip = 0x1210;
        sample.time_ns = 7;
        timed.add(sample);
      }
    timed.finished();
    const json found = json::parse(with_names([&](Resolver& resolver) {
      return whole(profile_firefox({timed.profile, timed.description, resolver, 0, "1.2.3"}));
    }));
    std::vector<std::string> names;
    for (const json& thread : found["threads"]) {
      EXPECT_EQ(thread["processName"], "server");
      names.push_back(thread["name"]);
    }
    if (events.size() == 1)
      EXPECT_THAT(names, testing::ElementsAre("server", "worker", "server"));
    else
      EXPECT_THAT(names, testing::ElementsAre("server (cycles)", "server (page-faults)",
                                              "worker (cycles)", "worker (page-faults)",
                                              "server (cycles)", "server (page-faults)"));
  }
}

TEST_F(ReportProfile, FirefoxLeavesNoSampleOutIfOneHasNoTime) {
  MadeUpRecording mixed({"cpu-clock"});
  mixed.profile.keep_samples();
  mixed.map(5, 0x1000, 0x1000, "//anon");
  mixed.sample(5, 0x1210);
  perfdata::Sample timed;
  timed.mode = perfdata::Mode::user;
  timed.pid = timed.tid = 5;
  timed.ip = 0x1020;
  timed.time_ns = 7;
  mixed.add(timed);
  mixed.finished();
  const json found = json::parse(with_names([&](Resolver& resolver) {
    return whole(profile_firefox({mixed.profile, mixed.description, resolver, 0, "1.2.3"}));
  }));
  ASSERT_EQ(found["threads"].size(), 1U);
  EXPECT_EQ(found["threads"][0]["samples"]["weight"], json::parse("[1,1]"));
}

TEST_F(ReportProfile, CallViewsHaveARowForSamplesWithoutACallee) {
  const auto view = with_names([&](Resolver& resolver) {
    return call_view(recording_.profile, resolver, 0, "outer;first", CallSide::callees);
  });
  ASSERT_TRUE(view);
  EXPECT_THAT(call_view_text(*view, {}), HasSubstr("[itself]"));
  const json found = json::parse(call_view_json(*view, "1.2.3"));
  EXPECT_EQ(found["samples"], 4);
  EXPECT_EQ(found["callees"][0]["function"], "inner");
  EXPECT_EQ(found["callees"][1]["function"], nullptr);
  EXPECT_THAT(call_view_csv(*view), HasSubstr(",inner,3,3000,0.75,"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
