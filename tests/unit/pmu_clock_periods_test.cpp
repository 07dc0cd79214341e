// The periods in samples of a clock whose period was changed.
#include "pmu/perf/clock_periods.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>

#include "base/byte_writer.hpp"

namespace tacho::TEST_FILE {
namespace {

constexpr std::uint64_t kOpenedWith = 250'000;
constexpr std::uint64_t kClock = 7, kOther = 8;  // ids

// A sample with id, address, process and thread, time, period and the start of a call chain.
void add_sample(std::vector<std::byte>& records, std::uint64_t id, std::uint64_t period) {
  ByteWriter record;
  record.add(perf_event_header{.type = PERF_RECORD_SAMPLE, .misc = 0, .size = 64});
  for (const std::uint64_t word : {id, std::uint64_t{0x1000}, std::uint64_t{1}, std::uint64_t{2},
                                   period, std::uint64_t{1}, kOpenedWith})
    record.add(word);
  records.insert(records.end(), record.bytes().begin(), record.bytes().end());
}

std::uint64_t word(const std::vector<std::byte>& records, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, records.data() + at, sizeof value);
  return value;
}

TEST(ClockPeriods, OnlyTheOldPeriodOfAClockIsReplaced) {
  std::vector<std::byte> records;
  add_sample(records, kClock, kOpenedWith);
  add_sample(records, kClock, 300'000);  // of a thread that inherited another period
  add_sample(records, kOther, kOpenedWith);
  EXPECT_EQ(count_samples(records), 3U);
  correct_clock_periods(records, {.id = 8, .period = 40}, {kClock}, kOpenedWith, 200'000);
  EXPECT_EQ(word(records, 40), 200'000U);
  EXPECT_EQ(word(records, 56), kOpenedWith) << "a field behind the period";
  EXPECT_EQ(word(records, 64 + 40), 300'000U);
  EXPECT_EQ(word(records, 128 + 40), kOpenedWith);
}

TEST(ClockPeriods, OtherRecordsAndImpossibleSizesAreLeftAlone) {
  std::vector<std::byte> records;
  add_sample(records, kClock, kOpenedWith);
  const auto fork = static_cast<std::byte>(PERF_RECORD_FORK);
  records[0] = fork;
  add_sample(records, kClock, kOpenedWith);
  records[64 + 6] = std::byte{72};  // longer than what there is
  const std::vector<std::byte> before = records;
  EXPECT_EQ(count_samples(records), 0U);
  correct_clock_periods(records, {.id = 8, .period = 40}, {kClock}, kOpenedWith, 200'000);
  EXPECT_EQ(records, before);
}

}  // namespace
}  // namespace tacho::TEST_FILE
