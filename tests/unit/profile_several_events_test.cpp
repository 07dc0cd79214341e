// Recordings of several events: which one is shown, sums over types of cores, and hints at rows of
// other events. Also rows by command, process, thread and CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "events_made_up_tree.hpp"
#include "profile/core_type_sums.hpp"
#include "profile/report.hpp"
#include "profile/sampled_event.hpp"
#include "profile_made_up_recording.hpp"
#include "unwrapped.hpp"

namespace tacho::TEST_FILE {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<perfdata::EventSum> sums_of(const std::vector<std::string>& names) {
  perfdata::Description recording;
  for (const std::string& name : names) {
    recording.events.emplace_back();
    recording.events.back().name = name;
  }
  return core_type_sums(recording);
}

TEST(CoreTypeSums, AreOfOneEventOnSeveralTypesOfCores) {
  const auto sums = sums_of({"cpu_atom/cycles/P", "instructions", "cpu_core/cycles/P"});
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums[0].name, "cycles:P");
  EXPECT_THAT(sums[0].parts, ElementsAre(0, 2));
  EXPECT_EQ(sums_of({"armv8_cortex_a57/cpu_cycles/", "armv8_cortex_a53/cpu_cycles/"})[0].name,
            "cpu_cycles");
}

TEST(CoreTypeSums, AreNotOfOtherEvents) {
  EXPECT_THAT(sums_of({"cpu_atom/cycles/", "cpu_core/instructions/"}), IsEmpty());
  EXPECT_THAT(sums_of({"cpu_core/cycles/u", "cpu_atom/cycles/k"}), IsEmpty());
  EXPECT_THAT(sums_of({"cpu_core/cycles/", "cpu_core/cycles/"}), IsEmpty()) << "one type, twice";
  EXPECT_THAT(sums_of({"cpu_core/event=0x3c/", "cpu_atom/event=0x3c/"}), IsEmpty()) << "raw";
  EXPECT_THAT(sums_of({"ibs_op/x/", "ibs_fetch/x/"}), IsEmpty()) << "no PMUs of cores";
  EXPECT_THAT(sums_of({"cycles", "cycles"}), IsEmpty());
}

// Recordings without names: the kernel's number of the PMU is in the upper half of config.
TEST(CoreTypeSums, OfGenericEventsAreKnownByTheirPmu) {
  perfdata::Description recording;
  for (const std::uint64_t pmu : {10U, 4U}) {
    recording.events.emplace_back();
    recording.events.back().name = "cycles";
    recording.events.back().config = pmu << 32;
  }
  ASSERT_EQ(core_type_sums(recording).size(), 1U);
  EXPECT_EQ(core_type_sums(recording)[0].name, "cycles");
}

// 2 samples on small cores, in the kernel; 6 on large ones.
class HybridProfile : public testing::Test {
 protected:
  HybridProfile() : recording_({"cpu_atom/cycles/P", "cpu_core/cycles/P", "faults"}) {
    tree_.write("perf-5.map", "1000 100 work\n1200 100 rare\n");
    recording_.exec(5, "prog");
    recording_.map(5, 0x1000, 0x1000, "//anon");
    for (int i = 0; i < 2; ++i) recording_.sample(5, 0x1210, 0, 500);
    for (int i = 0; i < 6; ++i) recording_.sample(5, 0x1010, 1, 1000);
    for (int i = 0; i < 4; ++i) recording_.sample(5, 0x1010, 2, 1);
    recording_.finished();
  }
  template <class Use>
  auto with_names(const Use& use) {
    SymbolSources sources;
    sources.perf_maps = tree_.path();
    Resolver resolver(recording_.finished().modules(), recording_.description, sources);
    return use(resolver);
  }
  std::size_t chosen(std::string_view name) {
    return choose_event(name, recording_.profile, recording_.description).value_or(99);
  }

  MadeUpTree tree_;
  MadeUpRecording recording_;
};

TEST_F(HybridProfile, TheSumIsShown) {
  const std::size_t event = chosen("");
  EXPECT_EQ(event, 3U);
  EXPECT_EQ(recording_.profile.total(event).samples, 8U);
  EXPECT_EQ(recording_.profile.total(event).sum, 7000U);
  EXPECT_EQ(chosen("cycles:P"), 3U);
  EXPECT_EQ(chosen("cycles"), 3U);
  EXPECT_EQ(chosen("cpu_atom/cycles/P"), 0U);
  const ProfileSummary summary = with_names([&](Resolver& resolver) {
    return summarize(recording_.profile, recording_.description, resolver, SortBy::function, event,
                     {});
  });
  ASSERT_EQ(summary.rows.size(), 2U);
  EXPECT_EQ(summary.rows[0].function, "work");
  EXPECT_DOUBLE_EQ(summary.rows[0].share, 6000.0 / 7000);
  EXPECT_DOUBLE_EQ(summary.rows[1].share, 1000.0 / 7000);
  const std::string text = profile_text(summary, 0, {});
  EXPECT_THAT(unwrapped(text),
              HasSubstr("cycles:P: 8 samples, standing for 7000 events; the sum of "));
  EXPECT_THAT(text, HasSubstr("of all samples of cycles:P; -e EVENT shows another event"));
  const json events = json::parse(profile_json(summary, 0, "1"))["events"];
  EXPECT_EQ(events[3]["sum_of"], (json{"cpu_atom/cycles/P", "cpu_core/cycles/P"}));
  EXPECT_EQ(events[0]["sum_of"], json::array());
}

TEST_F(HybridProfile, ExportsHaveTheSum) {
  const auto exported = [&](const auto& format) {
    return with_names([&](Resolver& resolver) {
      return whole(
          format({recording_.profile, recording_.description, resolver, chosen(""), "1.2.3"}));
    });
  };
  EXPECT_EQ(exported(profile_folded), "rare 1000\nwork 6000\n");
  const json speedscope = json::parse(exported(profile_speedscope));
  EXPECT_EQ(speedscope["activeProfileIndex"], 3);
  EXPECT_EQ(speedscope["profiles"][3]["endValue"], 7000);
  const json threads = json::parse(exported(profile_firefox))["threads"];
  ASSERT_EQ(threads.size(), 2U) << "the sum and the faults";
  EXPECT_EQ(threads[1]["name"], "cycles:P");
}

TEST(ShownEvent, IsTheOneWithTheMostSamples) {
  MadeUpRecording recording({"a", "b", "c"});
  recording.sample(1, 1, 0);
  for (int i = 0; i < 3; ++i) recording.sample(1, 1, 1);
  for (int i = 0; i < 3; ++i) recording.sample(1, 1, 2);
  recording.finished();
  EXPECT_EQ(choose_event("", recording.profile, recording.description), 1U);
}

// The first event has 30 samples in each of three rows. The second has most of its samples in a row
// that the first one hardly has.
TEST(OtherEvents, HiddenRowsAreHintedAt) {
  MadeUpTree tree;
  tree.write("perf-5.map", "1000 10 a\n1010 10 b\n1020 10 c\n1030 10 missing\n");
  MadeUpRecording recording({"cycles", "misses"});
  recording.map(5, 0x1000, 0x1000, "//anon");
  for (std::uint64_t i = 0; i < 90; ++i) recording.sample(5, 0x1000 + 0x10 * (i % 3), 0);
  for (int i = 0; i < 10; ++i) recording.sample(5, 0x1000, 1);
  for (int i = 0; i < 40; ++i) recording.sample(5, 0x1030, 1);
  SymbolSources sources;
  sources.perf_maps = tree.path();
  Resolver resolver(recording.finished().modules(), recording.description, sources);
  const ProfileSummary summary =
      summarize(recording.profile, recording.description, resolver, SortBy::function, 0, {});
  const std::string three = profile_text(summary, 3, {});
  EXPECT_THAT(unwrapped(three), HasSubstr("80.0 % of misses fell into missing"));
  EXPECT_THAT(unwrapped(three), HasSubstr("-e misses sorts by it"));
  EXPECT_THAT(profile_text(summary, 0, {}), Not(HasSubstr("fell into missing")));
}

class OwnerRows : public testing::Test {
 protected:
  OwnerRows() {
    recording_.profile.keep_owners();
    recording_.exec(5, "sh");
    recording_.fork(5, 6);
    sample(6, 6, 0, 1);
    recording_.exec(6, "cc1");
    for (int i = 0; i < 5; ++i) sample(6, 6, 0, 1);
    for (int i = 0; i < 3; ++i) sample(6, 7, 1, 1);
    sample(5, 5, 1, 10);
  }
  void sample(std::int32_t pid, std::int32_t tid, std::uint32_t cpu, std::uint64_t period) {
    perfdata::Sample made;
    made.mode = perfdata::Mode::user;
    made.ip = 0x1000;
    made.pid = pid;
    made.tid = tid;
    made.cpu = cpu;
    made.period = period;
    recording_.add(made);
  }
  ProfileSummary by(SortBy sort) {
    Resolver resolver(recording_.finished().modules(), recording_.description, {});
    return summarize(recording_.profile, recording_.description, resolver, sort, 0, {});
  }
  MadeUpRecording recording_;
};

TEST_F(OwnerRows, ByCommandHaveTheNameAtTheTimeOfTheSample) {
  const auto rows = by(SortBy::command).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].command, "sh");
  EXPECT_EQ(rows[0].counts[0].sum, 11U) << "10 of the shell, 1 of the child before its exec";
  EXPECT_EQ(rows[1].command, "cc1");
  EXPECT_EQ(rows[1].counts[0].samples, 5U);
  EXPECT_EQ(rows[2].command, "") << "a thread without a name";
  EXPECT_DOUBLE_EQ(rows[0].share + rows[1].share + rows[2].share, 1);
  EXPECT_LT(rows[1].ci95.low, rows[1].share);
}

TEST_F(OwnerRows, ByProcessThreadAndCpu) {
  const auto processes = by(SortBy::process).rows;
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].pid, 5);
  EXPECT_EQ(processes[1].pid, 6);
  EXPECT_EQ(processes[1].command, "cc1") << "its last name";
  EXPECT_EQ(processes[1].counts[0].samples, 9U);
  const auto threads = by(SortBy::thread).rows;
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[1].tid, 6);
  EXPECT_EQ(threads[1].counts[0].samples, 6U);
  const auto cpus = by(SortBy::cpu).rows;
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[0].cpu, 1);
  EXPECT_EQ(cpus[0].counts[0].sum, 13U);
}

TEST_F(OwnerRows, AreInEachFormat) {
  const ProfileSummary summary = by(SortBy::thread);
  const std::string text = profile_text(summary, 0, {});
  EXPECT_THAT(text, HasSubstr("command  pid  tid\n"));
  EXPECT_THAT(text, HasSubstr("cc1      6    6\n"));
  const json found = json::parse(profile_json(summary, 0, "1"));
  EXPECT_EQ(found["sort"], "tid");
  EXPECT_EQ(found["rows"][1]["tid"], 6);
  EXPECT_EQ(found["rows"][1]["command"], "cc1");
  EXPECT_EQ(found["rows"][1]["cpu"], nullptr);
  const std::string csv = profile_csv(summary, 0);
  EXPECT_THAT(csv, HasSubstr(",command,pid,tid,cpu\n"));
  EXPECT_THAT(csv, HasSubstr(",cc1,6,6,\n"));
}

}  // namespace
}  // namespace tacho::TEST_FILE
