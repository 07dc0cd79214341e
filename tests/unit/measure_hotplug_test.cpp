// CPUs that go offline and come online during a run: counts are kept, and warnings name the CPUs.
#include "measure/hotplug.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "events/catalogue.hpp"
#include "measure_fake_pmu.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/targets.hpp"

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A list of CPUs that no machine has, so only the list has them.
class HotplugTest : public testing::Test {
 protected:
  void list(const std::string& cpus) { std::ofstream(file_) << cpus << "\n"; }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ = testing::TempDir() + "tacho-online-" + std::to_string(::getpid());
};

auto change(int cpu, bool was_online, bool is_online) {
  return testing::AllOf(testing::Field(&CpuChange::cpu, cpu),
                        testing::Field(&CpuChange::was_online, was_online),
                        testing::Field(&CpuChange::is_online, is_online));
}

TEST_F(HotplugTest, TheListShowsWhichCpusWentOfflineAndCameOnline) {
  list("70000");  // above the greatest number: nothing to follow
  EXPECT_THAT(CpuWatch(file_).look(), IsEmpty());
  list("60000-60002");
  CpuWatch watch(file_);
  EXPECT_THAT(watch.look(), IsEmpty());
  list("60000,60002-60003");
  EXPECT_THAT(watch.look(), ElementsAre(change(60001, true, false), change(60003, false, true)));
  EXPECT_THAT(watch.look(), IsEmpty());
  list("60000-60003");
  EXPECT_THAT(watch.look(), ElementsAre(change(60001, false, true)));
}

TEST_F(HotplugTest, AnUnreadableListChangesNothing) {
  list("60000-60001");
  CpuWatch watch(file_);
  list("");
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_THAT(CpuWatch("/no/such/file").look(), IsEmpty());
}

TEST_F(HotplugTest, EveryGroupFollowsAndTheWarningsNameTheCpus) {
  FakePmu pmu;
  std::vector<EventGroup> events;
  for (const char* name : {"cycles", "a", "b", "c", "d"}) events.push_back({*pmu.resolve(name)});
  const Plan plan = make_plan(pmu, events, {});
  ASSERT_THAT(plan.sets, testing::SizeIs(2));
  pmu.overcommits = 10;  // sets share the counters
  std::vector<TargetCounters> targets;
  targets.push_back(
      *TargetCounters::open(pmu, plan, EveryCpu{}, Start::stopped, std::array<std::size_t, 1>()));

  list("60000-60005");
  Hotplug hotplug{CpuWatch(file_)};
  hotplug.check(targets);
  EXPECT_THAT(hotplug.warnings(), IsEmpty());
  EXPECT_THAT(pmu.followed, IsEmpty());

  list("60000-60002");
  hotplug.check(targets);
  EXPECT_EQ((pmu.followed[{60004, false}]), 3) << "the group that counts always, and two sets";
  EXPECT_THAT(hotplug.warnings(),
              ElementsAre("CPUs 60003-60005 went offline during the run: counted up to then"));

  list("60000-60003,60005,60007");
  hotplug.check(targets);
  EXPECT_EQ((pmu.followed[{60005, true}]), 3);
  EXPECT_THAT(
      hotplug.warnings(),
      ElementsAre("CPU 60004 went offline during the run: counted up to then",
                  StartsWith("CPUs 60003, 60005 went offline and came back during the run: not "),
                  StartsWith("CPU 60007 came online during the run: not counted for up to ")));
}

TEST_F(HotplugTest, NothingIsSaidOfCpusThatAreNotCounted) {
  FakePmu pmu;
  const Plan plan = make_plan(pmu, {{*pmu.resolve("a")}}, {});
  std::vector<TargetCounters> targets;
  targets.push_back(*TargetCounters::open(pmu, plan, SomeCpus{{60000}}, Start::stopped,
                                          std::array<std::size_t, 1>()));
  list("60000-60002");
  Hotplug hotplug{CpuWatch(file_), true, {60000}};
  list("60000,60003");
  hotplug.check(targets);
  EXPECT_THAT(hotplug.warnings(), IsEmpty());
  list("60001");
  hotplug.check(targets);
  EXPECT_THAT(hotplug.warnings(),
              ElementsAre("CPU 60000 went offline during the run: counted up to then"));
}

TEST_F(HotplugTest, WithOneTargetForEachCpuTheWarningSaysThatANewCpuIsNotCounted) {
  FakePmu pmu;
  const Plan plan = make_plan(pmu, {{*pmu.resolve("a")}}, {});
  std::vector<TargetCounters> targets;
  targets.push_back(*TargetCounters::open(pmu, plan, SomeCpus{{60000}}, Start::stopped,
                                          std::array<std::size_t, 1>()));
  list("60000");
  Hotplug hotplug{CpuWatch(file_), false};
  list("60000-60001");
  hotplug.check(targets);
  list("60001");
  hotplug.check(targets);
  EXPECT_THAT(
      hotplug.warnings(),
      ElementsAre("CPU 60000 went offline during the run: counted up to then",
                  "CPU 60001 came online during the run: not counted, as --per-cpu (-A) counts the "
                  "CPUs that were online at its beginning"));
}

TEST_F(HotplugTest, IfAGroupCannotFollowTheOthersStillDo) {
  FakePmu pmu;
  const Plan plan = make_plan(pmu, {{*pmu.resolve("a")}, {*pmu.resolve("sw")}}, {});
  std::vector<TargetCounters> targets;
  targets.push_back(
      *TargetCounters::open(pmu, plan, EveryCpu{}, Start::stopped, std::array<std::size_t, 1>()));
  list("60000");
  Hotplug hotplug{CpuWatch(file_)};
  pmu.follows = false;
  list("60000-60001");
  hotplug.check(targets);
  EXPECT_EQ((pmu.followed[{60001, true}]), std::ssize(plan.always));
  EXPECT_THAT(hotplug.warnings(), testing::Contains(HasSubstr("CPU 60001 could not be counted")));
}

// A real group on this machine's CPUs. The test says that one CPU went offline and came online, and
// counts the page faults of a thread bound to this CPU.
class HotplugGroup : public testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu_, &one);
    ASSERT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const std::vector<Event> events{*catalogue_.resolve("page-faults"),
                                    *catalogue_.resolve("minor-faults")};
    auto opened = pmu_.open(events, EveryCpu{}, Start::stopped);
    if (!opened) GTEST_SKIP() << "no group on every CPU here: " << opened.error().what;
    group_ = std::move(*opened);
  }
  void TearDown() override { ::sched_setaffinity(0, sizeof before_, &before_); }

  static void fault(std::size_t pages) {
    const std::size_t size = pages * 4096;
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < size; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
    ::munmap(memory, size);
  }
  std::vector<Reading> read() {
    std::vector<Reading> readings(2);
    EXPECT_TRUE(group_->read(readings));
    return readings;
  }

  static constexpr int cpu_ = 0;
  cpu_set_t before_{};
  Catalogue catalogue_;
  PerfEventPmu pmu_{catalogue_, Trust::refused};
  std::unique_ptr<CounterGroup> group_;
};

TEST_F(HotplugGroup, KeepsTheCountsOfACpuAndCountsAgainWhenItIsBack) {
  ASSERT_TRUE(group_->enable());
  fault(1'000);
  ASSERT_TRUE(group_->follow(cpu_, false));
  const auto gone = read();
  for (const Reading& reading : gone) EXPECT_GE(reading.value, 1'000U);
  ASSERT_TRUE(group_->follow(cpu_, true));
  fault(2'000);
  const auto back = read();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(back[i].value, gone[i].value + 2'000);
    EXPECT_GT(back[i].enabled_ns, gone[i].enabled_ns);
  }
}

TEST_F(HotplugGroup, DoesNotCountOnACpuThatComesOnlineWhileItIsOff) {
  ASSERT_TRUE(group_->enable());
  ASSERT_TRUE(group_->disable());
  ASSERT_TRUE(group_->follow(cpu_, true));
  const auto before = read();
  fault(1'000);
  EXPECT_EQ(read()[0].value, before[0].value);
  ASSERT_TRUE(group_->enable());
  fault(1'000);
  EXPECT_GE(read()[1].value, before[1].value + 1'000);
}

TEST_F(HotplugGroup, OfOneCpuFollowsThisCpuOnly) {
  const std::vector<Event> events{*catalogue_.resolve("page-faults")};
  auto opened = pmu_.open(events, SomeCpus{{cpu_}}, Start::stopped);
  ASSERT_TRUE(opened);
  group_ = std::move(*opened);
  ASSERT_TRUE(group_->enable());
  EXPECT_TRUE(group_->follow(60'000, true)) << "it is not opened there, so nothing can fail";
  fault(1'000);
  ASSERT_TRUE(group_->follow(cpu_, false));
  std::vector<Reading> gone(1), back(1);
  ASSERT_TRUE(group_->read(gone));
  EXPECT_GE(gone[0].value, 1'000U);
  ASSERT_TRUE(group_->follow(cpu_, true));
  fault(1'000);
  ASSERT_TRUE(group_->read(back));
  EXPECT_GE(back[0].value, gone[0].value + 1'000);
}

TEST(Places, APmuThatCountsForSeveralCpusIsNoPlaceForOneCpu) {
  Event event;
  const auto alone = places(SomeCpus{{3}}, event);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->size(), 1U);
  EXPECT_EQ(alone->front().cpu, 3);
  event.cpus = "0,18";
  const auto shared = places(SomeCpus{{3}}, event);
  ASSERT_FALSE(shared);
  EXPECT_THAT(shared.error().what, HasSubstr("0,18"));
}

TEST(Places, ACorePmusEventCountsOnItsOwnCpusAlone) {
  Event event;
  event.core_pmu = "cpu_atom";
  event.cpus = "0,60000-60003";
  const auto every = places(EveryCpu{}, event);
  ASSERT_TRUE(every);
  EXPECT_EQ(every->size(), 1U) << "the others are not online";
  EXPECT_EQ(every->front().cpu, 0);
  EXPECT_EQ(places(SomeCpus{{0}}, event)->size(), 1U);
  const auto elsewhere = places(SomeCpus{{1}}, event);
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().what, "not counted on CPU 1: cpu_atom has CPUs 0,60000-60003");
  EXPECT_EQ(places(Launched{42}, event)->front().cpu, -1) << "the kernel follows a task";
  event.cpus = "60000";
  EXPECT_FALSE(places(EveryCpu{}, event));
}

TEST_F(HotplugGroup, ACpuThatIsOfflineAgainIsNoError) {
  EXPECT_TRUE(group_->follow(60'000, false));
}

}  // namespace
}  // namespace tacho::TEST_FILE
