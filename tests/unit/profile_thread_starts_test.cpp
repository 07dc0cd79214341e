// Short threads and processes: what their samples cannot show, and how far their shares' intervals
// allow for it.
#include "profile/thread_starts.hpp"

#include <gtest/gtest.h>

#include <random>

#include "profile_made_up_recording.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kPeriod = 250'000;  // ns
constexpr std::int32_t kParent = 5;
constexpr std::uint64_t kFirst = 0x1000, kSecond = 0x2000;

// A recording of a clock, which threads and processes inherit.
class Clock : public MadeUpRecording {
 public:
  Clock() : MadeUpRecording({"cpu-clock"}) {
    perfdata::RecordedEvent& event = description.events.front();
    event.type = 1;  // PERF_TYPE_SOFTWARE, and config 0: PERF_COUNT_SW_CPU_CLOCK
    event.period = kPeriod;
    event.inherited = true;
    map(kParent, 0x1000, 0x2000, "//anon");
  }

  // A child that works for so many ns in the first function, then in the second. It is sampled each
  // time that it has worked for a whole period.
  void child(std::int32_t pid, std::uint64_t first, std::uint64_t second) {
    fork(kParent, pid);
    std::uint64_t done = 0;
    for (; done + kPeriod <= first + second; done += kPeriod) {
      pass(kPeriod);
      sample(pid, done + kPeriod <= first ? kFirst : kSecond, 0, kPeriod);
    }
    pass(first + second - done);
    exit(pid);
  }

  // The interval of the first function's share.
  ShareInterval share_of_first() {
    profile.finish(description);
    SampleCount count;
    for (std::size_t i = 0; i < profile.cells().size(); ++i)
      if (profile.cells()[i].offset == kFirst) count += profile.count(0, i);
    return profile.share95(0, count, profile.total(0));
  }
};

TEST(ThreadStarts, OfAProcessShorterThanAPeriodNothingIsSeen) {
  Clock clock;
  for (int i = 0; i < 3; ++i) clock.child(100 + i, 40'000, 60'000);
  clock.sample(kParent, kSecond, 0, kPeriod);
  clock.finished();
  const Unsampled found = clock.profile.unsampled(0);
  EXPECT_EQ(found.threads, 3U);
  // The three processes, and what their parent may have done between the beginnings of two.
  EXPECT_NEAR(found.starts, 3 * 100'000 + 2 * 100'000, 10);
  EXPECT_NEAR(found.missed, 500'000, 10);
  // The samples stand for one period, beside 500 µs that no sample stands for.
  EXPECT_NEAR(found.share(kPeriod), 500.0 / 750, 1e-4);
}

TEST(ThreadStarts, OfALongThreadOnlyTheFirstPeriodIsUnseen) {
  Clock clock;
  clock.child(100, 4 * kPeriod, 6 * kPeriod);
  clock.finished();
  const Unsampled found = clock.profile.unsampled(0);
  EXPECT_NEAR(found.starts, kPeriod, 10);
  EXPECT_NEAR(found.missed, 0, 10);
  EXPECT_NEAR(found.share(10 * kPeriod), 0.1, 1e-5);
}

TEST(ThreadStarts, ThePeriodThatAParentHadBegunMayEndWithANewThread) {
  Clock clock;
  for (int i = 0; i < 10; ++i) {
    clock.child(100 + i, 1'000, 1'000);
    clock.pass(i < 5 ? 80'000 : 3 * kPeriod);  // the parent works
  }
  clock.finished();
  // Between two beginnings passed 82 µs five times, and more than a period four times.
  EXPECT_NEAR(clock.profile.unsampled(0).missed, 10 * 2'000 + 5 * 82'000 + 4.0 * kPeriod, 100);
}

TEST(ThreadStarts, AThreadThatStillRunsAtTheEndCounts) {
  Clock clock;
  clock.fork(kParent, 100);
  clock.pass(70'000);
  clock.sample(kParent, kFirst, 0, kPeriod);
  clock.finished();
  EXPECT_NEAR(clock.profile.unsampled(0).missed, 70'000, 10);
}

TEST(ThreadStarts, WithoutNewThreadsNothingIsUnseen) {
  Clock clock;
  for (int i = 0; i < 30; ++i) clock.sample(kParent, i < 10 ? kFirst : kSecond, 0, kPeriod);
  const ShareInterval found = clock.share_of_first();
  EXPECT_EQ(clock.profile.unsampled(0).threads, 0U);
  EXPECT_DOUBLE_EQ(found.low, wilson95(10.0 / 30, 30).low);
  EXPECT_DOUBLE_EQ(found.high, wilson95(10.0 / 30, 30).high);
}

TEST(ThreadStarts, TimersOfCpusGoOnFromThreadToThread) {
  Clock clock;
  clock.description.events.front().inherited = false;
  clock.child(100, 40'000, 60'000);
  clock.sample(kParent, kFirst, 0, kPeriod);
  clock.finished();
  EXPECT_EQ(clock.profile.unsampled(0).threads, 0U);
}

// The time that has passed says nothing about how often another event happened, in the process and
// in its parent.
TEST(ThreadStarts, AnEventThatIsNoClockMayHaveHappenedAWholePeriodLessOne) {
  MadeUpRecording recording({"page-faults"});
  recording.description.events.front().inherited = true;
  recording.fork(kParent, 100);
  recording.exit(100);
  recording.sample(kParent, kFirst, 0, 1000);
  recording.finished();
  EXPECT_EQ(recording.profile.unsampled(0).missed, 999 + 999);
}

TEST(ThreadStarts, IfEachEventWasASampleNothingIsUnseen) {
  MadeUpRecording recording({"page-faults"});
  recording.description.events.front().inherited = true;
  recording.description.events.front().period = 1;
  recording.fork(kParent, 100);
  recording.exit(100);
  recording.sample(kParent, kFirst, 0, 1);
  recording.finished();
  EXPECT_EQ(recording.profile.unsampled(0).starts, 0);
}

// How often the interval holds the true share, for processes of such lengths in periods.
double held(double shortest, double longest) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> length(shortest, longest), share(0.1, 0.5);
  int held = 0;
  constexpr int kTimes = 300;
  for (int i = 0; i < kTimes; ++i) {
    Clock clock;
    double first = 0, all = 0;
    for (int pid = 100; pid < 160; ++pid) {
      const double ns = length(random) * kPeriod;
      const double of_first = share(random) * ns;
      clock.child(pid, static_cast<std::uint64_t>(of_first),
                  static_cast<std::uint64_t>(ns - of_first));
      first += of_first;
      all += ns;
    }
    const ShareInterval interval = clock.share_of_first();
    held += interval.low <= first / all && first / all <= interval.high ? 1 : 0;
  }
  return 1.0 * held / kTimes;
}

TEST(ThreadStarts, IntervalsHoldTheSharesOfShortProcesses) {
  EXPECT_GT(held(0.2, 0.9), 0.93) << "no process has a sample";
  EXPECT_GT(held(0.5, 2.5), 0.93);
  EXPECT_GT(held(1.5, 4.5), 0.93);
  EXPECT_GT(held(5.0, 20.0), 0.93);
}

}  // namespace
}  // namespace tacho::TEST_FILE
