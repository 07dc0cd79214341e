// Record: the figures of one region in one thread.
#include "caliper/record.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace tacho::caliper::TEST_FILE {
namespace {

// Real-time programs lock all their memory.
TEST(Record, IsClearedInLockedMemoryToo) {
  Record* const record = make_record(1, false);
  ASSERT_NE(record, nullptr);
  if (::mlock(record, sizeof(Record)) != 0) {
    free_record(record);
    GTEST_SKIP() << "no memory may be locked here";
  }
  record->begun.add(255);
  record->ticks.add(1'000);
  record->event(0).add(7);
  clear_record(record);
  EXPECT_EQ(record->begun.get(), 0U);
  EXPECT_EQ(record->ticks.sum.get(), 0U);
  EXPECT_EQ(record->event(0).maximum.get(), 0U);
  EXPECT_EQ(record->events, 1U);
  record->ticks.add(3);
  EXPECT_EQ(~record->ticks.inverted_minimum.get(), 3U);
  free_record(record);
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
