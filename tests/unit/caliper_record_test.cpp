// Record: the figures of one region in one thread.
#include "caliper/record.hpp"

#include <gtest/gtest.h>

#include "caliper_own_record.hpp"

namespace tacho::caliper::TEST_FILE {
namespace {

Quantity described(const OwnRecord& record, std::size_t quantity) {
  Quantity described;
  record.sum_of(quantity).describe(described);
  return described;
}

TEST(Record, IsEmptyAfterItWasCleared) {
  for (const std::uint64_t executions : {3U, 300U}) {
    OwnRecord record;
    for (std::uint64_t i = 0; i < executions; ++i) record.execute(1'000'000 >> (i % 20), i);
    clear_record(&*record);
    EXPECT_EQ(record->begun.get(), 0U);
    EXPECT_EQ(described(record, 0).executions, 0U);
    EXPECT_EQ(described(record, 1).executions, 0U);
    for (const std::uint64_t value : {0U, 3U, 1'000'000U}) record.execute(value, value);
    EXPECT_EQ(described(record, 0).median, 3);
    EXPECT_EQ(described(record, 1).total, 1'000'003);
  }
}

// The first values are kept as they are, and go into a sketch when there are more.
TEST(Record, HasTheFiguresOfAllValuesHoweverManyThereAre) {
  OwnRecord record;
  for (std::uint64_t i = 1; i <= 127; ++i) {
    record.execute(i, 128 - i);
    EXPECT_EQ(described(record, 0).median, static_cast<double>((i + 1) / 2)) << i;
    EXPECT_EQ(described(record, 1).median, static_cast<double>(127 - (i / 2))) << i;
    EXPECT_EQ(described(record, 0).executions, i);
    EXPECT_EQ(described(record, 0).total, static_cast<double>(i * (i + 1) / 2));
  }
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
