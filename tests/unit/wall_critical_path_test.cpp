// The critical path of made-up threads, whose truth is known.
#include "wall/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "7 running 10…20"
std::vector<std::string> written(const std::vector<PathStep>& path) {
  static constexpr std::array kNames = {"running", "ready", "waiting", "unknown"};
  std::vector<std::string> lines;
  for (const PathStep& step : path)
    lines.push_back(std::to_string(step.tid) + " " +
                    kNames.at(static_cast<std::size_t>(step.state)) + " " +
                    std::to_string(step.begin_ns) + "…" + std::to_string(step.end_ns));
  return lines;
}

ThreadTimes lived(std::int32_t tid, std::uint64_t begin, std::uint64_t end,
                  std::int32_t parent = -1) {
  ThreadTimes times;
  times.tid = tid;
  times.parent = parent;
  times.begin_ns = begin;
  times.end_ns = end;
  return times;
}
TimeOff unexplained(std::int32_t tid, std::uint64_t begin, std::uint64_t end,
                    ThreadState state = ThreadState::waiting) {
  TimeOff off;
  off.tid = tid;
  off.begin_ns = begin;
  off.end_ns = end;
  off.state = state;
  return off;
}
TimeOff waited(std::int32_t tid, std::uint64_t begin, std::uint64_t woken, std::uint64_t end,
               std::int32_t waker) {
  TimeOff off = unexplained(tid, begin, end);
  off.woken_ns = woken;
  off.waker = waker;
  return off;
}

TEST(CriticalPath, OfAThreadThatOnlyRunsIsItsLife) {
  EXPECT_THAT(written(critical_path(std::vector{lived(1, 0, 50)}, {}, 0)),
              ElementsAre("1 running 0…50"));
}

TEST(CriticalPath, GoesFromAWaitToTheThreadThatEndedIt) {
  // Thread 1 makes thread 2 at 10 and waits for it from 20 on. Thread 2 runs from 12 to 80 and then
  // wakes thread 1, which gets a CPU at 85.
  const std::vector threads{lived(1, 0, 100), lived(2, 10, 82, 1)};
  const std::vector absences{waited(1, 20, 80, 85, 2), unexplained(2, 10, 12, ThreadState::ready)};
  EXPECT_THAT(written(critical_path(threads, absences, 0)),
              ElementsAre("1 running 0…10", "2 ready 10…12", "2 running 12…80", "1 ready 80…85",
                          "1 running 85…100"));
}

TEST(CriticalPath, StaysInAWaitThatAnInterruptEnded) {
  const std::vector absences{waited(1, 20, 70, 75, 0)};
  EXPECT_THAT(
      written(critical_path(std::vector{lived(1, 0, 100)}, absences, 0)),
      ElementsAre("1 running 0…20", "1 waiting 20…70", "1 ready 70…75", "1 running 75…100"));
}

TEST(CriticalPath, StaysInAWaitWhoseEndIsNotKnown) {
  const std::vector threads{lived(1, 0, 100)};
  EXPECT_THAT(written(critical_path(threads, std::vector{unexplained(1, 20, 75)}, 0)),
              ElementsAre("1 running 0…20", "1 waiting 20…75", "1 running 75…100"));
  // Its waker is no thread of the recording.
  EXPECT_THAT(written(critical_path(threads, std::vector{waited(1, 20, 75, 75, 99)}, 0)),
              ElementsAre("1 running 0…20", "1 waiting 20…75", "1 running 75…100"));
}

// A lock that goes from thread to thread: each waits for the one before it, which waits for a disk.
TEST(CriticalPath, FollowsAChainOfWaits) {
  const std::vector threads{lived(1, 0, 100), lived(2, 0, 65), lived(3, 0, 35)};
  const std::vector absences{waited(1, 5, 60, 60, 2), waited(2, 5, 30, 31, 3),
                             waited(3, 10, 28, 28, 0)};
  EXPECT_THAT(written(critical_path(threads, absences, 0)),
              ElementsAre("3 running 0…10", "3 waiting 10…28", "3 running 28…30", "2 ready 30…31",
                          "2 running 31…60", "1 running 60…100"));
}

TEST(CriticalPath, GoesFromAJoinToTheThreadThatEnded) {
  const std::vector threads{lived(1, 0, 100), lived(2, 10, 80, 1)};
  std::vector absences{unexplained(1, 20, 85)};
  absences.front().awaited = {.tid = 2, .time_ns = 80, .is_process = false};
  EXPECT_THAT(
      written(critical_path(threads, absences, 0)),
      ElementsAre("1 running 0…10", "2 running 10…80", "1 waiting 80…85", "1 running 85…100"));
}

TEST(CriticalPath, SaysWhereNothingIsKnown) {
  const std::vector absences{unexplained(1, 20, 70, ThreadState::unknown)};
  EXPECT_THAT(written(critical_path(std::vector{lived(1, 0, 100)}, absences, 0)),
              ElementsAre("1 running 0…20", "1 unknown 20…70", "1 running 70…100"));
}

// A soft interrupt that came while thread 2 ran says nothing about thread 2.
TEST(CriticalPath, DoesNotFollowASoftInterrupt) {
  const std::vector threads{lived(1, 0, 100), lived(2, 0, 90)};
  std::vector absences{waited(1, 20, 70, 70, 2)};
  absences.front().in_softirq = true;
  EXPECT_THAT(written(critical_path(threads, absences, 0)),
              ElementsAre("1 running 0…20", "1 waiting 20…70", "1 running 70…100"));
}

TEST(CriticalPath, OfRecordsThatContradictEachOtherEnds) {
  const std::vector threads{lived(1, 0, 100), lived(2, 0, 100)};
  const std::vector absences{waited(1, 10, 50, 50, 2), waited(2, 10, 50, 50, 1)};
  const auto path = critical_path(threads, absences, 0);
  EXPECT_EQ(path.front().begin_ns, 0U);
  EXPECT_EQ(path.back().end_ns, 100U);
}

TEST(CriticalPath, OfAThreadThatHadTheNumberBeforeIsNotTaken) {
  const std::vector threads{lived(1, 0, 100), lived(2, 0, 20, 1), lived(2, 40, 80, 1)};
  const std::vector absences{unexplained(2, 5, 15), waited(1, 45, 80, 80, 2)};
  EXPECT_THAT(written(critical_path(threads, absences, 0)),
              ElementsAre("1 running 0…40", "2 running 40…80", "1 running 80…100"));
}

// Random lives and waits, also impossible ones: the path has no gaps, and is in running time where
// it says so.
TEST(CriticalPath, FillsTheTimeFromBeginningToEnd) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  for (int trial = 0; trial < 500; ++trial) {
    std::vector threads{lived(1, 0, 1000)};
    for (std::int32_t tid = 2; tid <= 4; ++tid) {
      const std::uint64_t begin = below(500);
      threads.push_back(lived(tid, begin, begin + 1 + below(500), below(2) == 0 ? -1 : 1));
    }
    std::vector<TimeOff> absences;
    for (const ThreadTimes& each : threads)
      for (std::uint64_t at = each.begin_ns + below(100); at + 1 < each.end_ns;) {
        const std::uint64_t end = std::min(each.end_ns, at + 1 + below(100));
        absences.push_back(waited(each.tid, at, at + below(end - at + 1), end,
                                  static_cast<std::int32_t>(below(6))));
        if (below(3) == 0) absences.back().woken_ns.reset();
        at = end + below(60);
      }
    const auto path = critical_path(threads, absences, 0);
    EXPECT_EQ(path.back().end_ns, 1000U);
    for (std::size_t i = 0; i < path.size(); ++i) {
      EXPECT_LT(path[i].begin_ns, path[i].end_ns);
      EXPECT_EQ(path[i].begin_ns, i > 0 ? path[i - 1].end_ns : path[i].begin_ns);
      if (path[i].state != ThreadState::running) continue;
      for (const TimeOff& off : absences)
        EXPECT_TRUE(off.tid != path[i].tid || off.end_ns <= path[i].begin_ns ||
                    off.begin_ns >= path[i].end_ns);
    }
  }
}

}  // namespace
}  // namespace tacho::TEST_FILE
