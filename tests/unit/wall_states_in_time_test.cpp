// What threads did in slices of time, against times that are known.
#include "wall/states_in_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::TEST_FILE {
namespace {

using testing::ElementsAre;

ThreadTimes lived(std::int32_t tid, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t running = 0) {
  ThreadTimes times;
  times.pid = times.tid = tid;
  times.begin_ns = begin;
  times.end_ns = end;
  times.running_ns = running;
  return times;
}

TimeOff off(std::int32_t tid, std::uint64_t begin, std::uint64_t end, ThreadState state) {
  TimeOff off;
  off.pid = off.tid = tid;
  off.begin_ns = begin;
  off.end_ns = end;
  off.state = state;
  return off;
}

TEST(StatesInTime, HaveEachTimeInItsSlice) {
  const std::vector threads{lived(1, 100, 500)};
  std::vector absences{off(1, 150, 260, ThreadState::waiting), off(1, 300, 310, ThreadState::ready),
                       off(1, 390, 410, ThreadState::unknown)};
  absences[0].woken_ns = 240;  // and then it was ready
  const StatesInTime found = states_in_time(threads, absences, TimeGrid::of(100, 500, 4), 10);
  ASSERT_EQ(found.rows.size(), 1U);
  const StatesInTime::Row& row = found.rows[0];
  // running, ready, waiting, unknown
  EXPECT_THAT(row.slices, ElementsAre(StateTimes{50, 0, 50, 0}, StateTimes{40, 20, 40, 0},
                                      StateTimes{80, 10, 0, 10}, StateTimes{90, 0, 0, 10}));
  EXPECT_EQ(row.times, (StateTimes{260, 30, 90, 20}));
  EXPECT_EQ(found.others, 0U);
}

TEST(StatesInTime, ThreadsBeyondTheMostAreOneRow) {
  const std::vector threads{lived(1, 0, 100, 10), lived(2, 0, 100, 90), lived(3, 50, 100, 20),
                            lived(4, 0, 50, 5)};
  const StatesInTime found = states_in_time(threads, {}, TimeGrid::of(0, 100, 2), 2);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].thread, std::pair(2, 2));
  EXPECT_EQ(found.rows[1].thread, std::pair(3, 3));
  EXPECT_FALSE(found.rows[2].thread);
  EXPECT_EQ(found.others, 2U);
  EXPECT_THAT(found.rows[2].slices, ElementsAre(StateTimes{100, 0, 0, 0}, StateTimes{50, 0, 0, 0}));
}

TEST(StatesInTime, AProgramThatReplacesAnotherIsTheSameThread) {
  const std::vector threads{lived(1, 0, 40), lived(1, 40, 100)};
  const StatesInTime found = states_in_time(threads, {}, TimeGrid::of(0, 100, 1), 10);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].times, (StateTimes{100, 0, 0, 0}));
}

TEST(TimeGrids, TimesOutsideCountAtTheEndsOrNowhere) {
  const TimeGrid grid = TimeGrid::of(1000, 2000, 10);
  EXPECT_EQ(grid.slice_ns, 100U);
  EXPECT_EQ(grid.slice_of(5), 0U);
  EXPECT_EQ(grid.slice_of(1999), 9U);
  EXPECT_EQ(grid.slice_of(7000), 9U);
  std::uint64_t sum = 0;
  grid.each_slice(0, 9000, [&](std::uint32_t, std::uint64_t ns) { sum += ns; });
  EXPECT_EQ(sum, 1000U);
  const TimeGrid uneven = TimeGrid::of(0, 10, 4);  // slices of 3
  EXPECT_EQ(uneven.slices, 4U);
  EXPECT_EQ(TimeGrid::of(7, 7, 4).slices, 1U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
