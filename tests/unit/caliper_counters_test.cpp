// tacho::Counters with page faults, because a test can cause a known number of them.
#include "tacho/counters.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "caliper/live_counters.hpp"
#include "caliper/plan_counting.hpp"
#include "caliper/turns.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::size_t kPage = 4096;

// Causes exactly `times` page faults. With the sanitizer's checks, its shadow memory would cause
// more.
[[gnu::no_sanitize_address]] void fault(int times) {
  void* memory = ::mmap(nullptr, kPage * static_cast<std::size_t>(times), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, kPage * static_cast<std::size_t>(times), MADV_NOHUGEPAGE);
  auto* const bytes = static_cast<volatile char*>(memory);
  for (int i = 0; i < times; ++i) bytes[kPage * static_cast<std::size_t>(i)] = 1;
  ::munmap(memory, kPage * static_cast<std::size_t>(times));
}

#define NEEDS(counters)               \
  if ((counters).error(0) != nullptr) \
  GTEST_SKIP() << "this system does not count page faults: " << (counters).error(0)->what

TEST(Counters, CountTheEventsOfTheThread) {
  Counters counters = Counters::open({"page-faults"});
  NEEDS(counters);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  ASSERT_TRUE(counters.read(&before));
  fault(1);  // from now on its code and page tables are in memory
  ASSERT_TRUE(counters.read(&before));
  fault(123);
  ASSERT_TRUE(counters.read(&after));
  EXPECT_EQ(after - before, 123U);
  counters.reset();
  fault(50);
  const Count count = counters.counts().at(0);
  EXPECT_EQ(count.status, CountStatus::counted);
  EXPECT_GE(count.value, 50);
  EXPECT_LT(count.value, 60);
  EXPECT_EQ(count.share, 1);
}

TEST(Counters, CountTheOthersIfOneEventIsRefused) {
  Counters counters = Counters::open({"page-faults", "no-such-event", "minor-faults"});
  NEEDS(counters);
  ASSERT_EQ(counters.size(), 3U);
  ASSERT_NE(counters.error(1), nullptr);
  EXPECT_NE(counters.error(1)->what.find("no-such-event"), std::string::npos);
  EXPECT_EQ(counters.error(2), nullptr);
  std::uint64_t values[3] = {~0U, 77, ~0U};
  ASSERT_TRUE(counters.read(values));
  EXPECT_EQ(values[1], 77U);  // unchanged, because there is no count
  EXPECT_EQ(counters.counts().at(1).status, CountStatus::unavailable);
  EXPECT_FALSE(counters.counts().at(1).error.what.empty());
}

TEST(Counters, OpenWithoutAnyEvent) {
  Counters counters = Counters::open({});
  EXPECT_EQ(counters.size(), 0U);
  EXPECT_EQ(counters.read_method(), ReadMethod::none);
  EXPECT_TRUE(counters.read(nullptr));
  EXPECT_TRUE(counters.counts().empty());
  EXPECT_FALSE(counters.explain().empty());
}

TEST(Counters, RefuseAllEventsIfThereIsOneTooMany) {
  Counters most = Counters::open(std::vector<std::string>(Counters::kMaxEvents, "page-faults"));
  NEEDS(most);
  EXPECT_EQ(most.error(Counters::kMaxEvents - 1), nullptr);
  Counters more = Counters::open(std::vector<std::string>(Counters::kMaxEvents + 1, "page-faults"));
  EXPECT_EQ(more.size(), Counters::kMaxEvents + 1);
  for (std::size_t event = 0; event < more.size(); ++event) EXPECT_NE(more.error(event), nullptr);
  EXPECT_EQ(more.read_method(), ReadMethod::none);
}

TEST(Counters, RefuseAnotherThread) {
  Counters counters = Counters::open({"page-faults"});
  NEEDS(counters);
  std::uint64_t value = 5;
  std::thread([&] {
    EXPECT_FALSE(counters.read(&value));
    EXPECT_EQ(counters.counts().at(0).status, CountStatus::unavailable);
    EXPECT_EQ(counters.counts().at(0).error.code, EPERM);
  }).join();
  EXPECT_EQ(value, 5U);
  EXPECT_TRUE(counters.read(&value));
}

TEST(Counters, RefuseTheChildOfAFork) {
  Counters counters = Counters::open({"page-faults"});
  NEEDS(counters);
  std::uint64_t value = 5;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool refused = !counters.read(&value) && value == 5;
    {
      const Counters gone = std::move(counters);
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(counters.read(&value));
}

TEST(Counters, CountStartedThreadsOnRequest) {
  Counters counters = Counters::open({"page-faults"}, CountScope::with_children);
  NEEDS(counters);
  EXPECT_EQ(counters.read_method(), ReadMethod::system_call);
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  ASSERT_TRUE(counters.read(&before));
  std::thread([] { fault(300); }).join();
  ASSERT_TRUE(counters.read(&after));
  EXPECT_GE(after - before, 300U);
}

TEST(Counters, ReportTheFileLimitForEachEvent) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int next = ::dup(0);
  ::close(next);
  rlimit low = limit;
  low.rlim_cur = static_cast<rlim_t>(next) + 3;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  Counters counters = Counters::open(std::vector<std::string>(8, "page-faults"));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  NEEDS(counters);
  ASSERT_NE(counters.error(7), nullptr);
  EXPECT_EQ(counters.error(7)->code, EMFILE);
  std::uint64_t before[8] = {};
  std::uint64_t after[8] = {};
  EXPECT_TRUE(counters.read(before));
  fault(100);
  EXPECT_TRUE(counters.read(after));
  EXPECT_GE(after[0] - before[0], 100U);
}

TEST(Counters, ExplainTheReadMethod) {
  const Counters counters = Counters::open({"page-faults:u"});
  NEEDS(counters);
  EXPECT_EQ(counters.read_method(), ReadMethod::system_call);
  EXPECT_NE(counters.explain().find("read(2)"), std::string::npos);
  EXPECT_NE(counters.explain().find("'page-faults:u' is counted by the kernel"), std::string::npos);
}

// A plan adds the reference event, which needs a place in the snapshot, too.
TEST(LiveCounters, TheMaximumOfEventsFitsASnapshotWhenTheyTakeTurns) {
  for (const std::size_t asked : {Counters::kMaxEvents, std::size_t{60}}) {
    const caliper::CountingPlan counting = caliper::plan_counting(
        std::vector<std::string>(asked, "page-faults"), CountScope::this_thread, 4);
    EXPECT_EQ(counting.requested, asked);
    for (const std::size_t place : counting.always) EXPECT_LT(place, caliper::kMaxPlaces);
    for (const auto& set : counting.sets)
      for (const std::size_t place : set) EXPECT_LT(place, caliper::kMaxPlaces);
  }
}

// On a PMU with one counter, two events take turns.
TEST(LiveCounters, EventsThatTakeTurnsAreCountedInTheirOwnTurns) {
  const caliper::CountingPlan counting =
      caliper::plan_counting({"page-faults", "minor-faults"}, CountScope::this_thread, 1);
  if (counting.refused[0]) GTEST_SKIP() << counting.refused[0]->what;
  ASSERT_EQ(counting.sets.size(), 2U);
  caliper::LiveCounters live(counting, 1);
  ASSERT_TRUE(live.takes_turns());
  caliper::Snapshot before;
  caliper::Snapshot after;
  ASSERT_TRUE(live.read(before));
  for (int turn = 0; turn < 10; ++turn) {
    fault(100);
    live.turn();
  }
  ASSERT_TRUE(live.read(after));
  EXPECT_EQ(after.turns - before.turns, 10U);
  const std::uint64_t sum = after.values[0] - before.values[0] + after.values[1] - before.values[1];
  EXPECT_GE(sum, 1'000U);  // each fault counts in one of the two events
  EXPECT_LT(sum, 1'100U);
  EXPECT_GT(after.values[0], before.values[0]);
  EXPECT_GT(after.values[1], before.values[1]);
  const std::uint64_t covered =
      after.covered[0] - before.covered[0] + after.covered[1] - before.covered[1];
  EXPECT_LE(covered, after.reference - before.reference);
  EXPECT_GE(covered, (after.reference - before.reference) / 2);
  EXPECT_EQ(after.lost_ns, before.lost_ns);
}

}  // namespace
}  // namespace tacho::TEST_FILE
