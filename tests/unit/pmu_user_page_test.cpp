// Tests reading a counter by the kernel's page, with made-up pages: changes by the kernel during a
// reading, and counts wider than the register.
#include "pmu/perf/user_page.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tacho::TEST_FILE {
namespace {

perf_event_mmap_page page_of(std::uint32_t index, std::int64_t offset, std::uint16_t width) {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = index;
  page.offset = offset;
  page.pmc_width = width;
  return page;
}

// Registers by the page's indices; the index 0 has no register. `value` is a register's value.
auto registers(auto value) {
  return [value](std::uint32_t index, std::uint64_t& result) {
    if (index == 0) return false;
    result = value(index - 1);
    return true;
  };
}

struct Asked {
  bool readable = false;
  PageReading reading;
  std::uint64_t retries = 0;
  std::vector<std::uint32_t> registers;
};

Asked ask(const perf_event_mmap_page& page, std::uint64_t value) {
  Asked asked;
  asked.readable = read_page(page, unused_bits(page), registers([&](std::uint32_t number) {
                               asked.registers.push_back(number);
                               return value;
                             }),
                             asked.reading, asked.retries);
  return asked;
}

TEST(UserPage, AddsTheRegisterToTheKernelsCount) {
  const Asked asked = ask(page_of(4, 1'000, 48), 234);
  EXPECT_TRUE(asked.readable);
  EXPECT_EQ(asked.reading.value, 1'234U);
  EXPECT_EQ(asked.registers, std::vector<std::uint32_t>{3});  // index 0 means none
}

TEST(UserPage, CountsBeyond32And48BitsAreWhole) {
  EXPECT_EQ(ask(page_of(1, 0x1'0000'0000, 32), 5).reading.value, 0x1'0000'0005U);
  EXPECT_EQ(ask(page_of(1, 0x1'0000'0000'0000, 48), 7).reading.value, 0x1'0000'0000'0007U);
  EXPECT_EQ(ask(page_of(1, 0x7000'0000'0000'0000, 32), 1).reading.value, 0x7000'0000'0000'0001U);
}

#if defined(__x86_64__) || defined(__i386__)
// Intel's topdown metrics have the index (1 << 29) + 1, behind which rdpmc finds shares and no
// counts. No register may be read: here rdpmc would raise a signal.
TEST(UserPage, MetricsAreLeftToTheKernel) {
  std::uint64_t value = 7;
  EXPECT_FALSE(read_pmu_register((std::uint32_t{1} << 29U) + 1, value));
  EXPECT_FALSE(read_pmu_register(0, value));
  EXPECT_EQ(value, 7U);
}
#endif

TEST(UserPage, CountersHaveIndices) {
  EXPECT_FALSE(is_no_counter(1)) << "the first general counter";
  EXPECT_FALSE(is_no_counter((std::uint32_t{1} << 30U) + 4)) << "the fixed counter of slots";
  EXPECT_TRUE(is_no_counter(0));
  EXPECT_TRUE(is_no_counter((std::uint32_t{1} << 29U) + 1)) << "Intel's metrics";
}

// The kernel starts a counter of 32 bits at -2^31, which interrupts after 2^31 events, and
// subtracts that start in `offset`.
TEST(UserPage, ARegisterBelowZeroIsNotCountedTwice) {
  const auto start = [](unsigned bits) { return std::uint64_t{1} << (bits - 1); };
  for (const unsigned bits : {32U, 48U, 40U}) {
    const auto offset =
        static_cast<std::int64_t>(9'000 + start(bits));  // 9,000 and minus the start
    EXPECT_EQ(ask(page_of(1, offset, static_cast<std::uint16_t>(bits)), start(bits)).reading.value,
              9'000U);
    EXPECT_EQ(
        ask(page_of(1, offset, static_cast<std::uint16_t>(bits)), start(bits) + 77).reading.value,
        9'077U);
    // It wrapped before the kernel had its interrupt.
    EXPECT_EQ(ask(page_of(1, offset, static_cast<std::uint16_t>(bits)), 3).reading.value,
              9'000U + start(bits) + 3);
  }
}

TEST(UserPage, A64BitRegisterIsUsedUnchanged) {
  EXPECT_EQ(ask(page_of(32, 0, 64), 0xffff'ffff'ffff'fff0).reading.value, 0xffff'ffff'ffff'fff0U);
}

// For example, because user space may not read the register.
TEST(UserPage, WithoutARegisterNothingIsRead) {
  perf_event_mmap_page waiting = page_of(0, 10, 48);
  EXPECT_FALSE(ask(waiting, 1).readable);
  EXPECT_TRUE(ask(waiting, 1).registers.empty());
}

// The thread moves to another CPU during the reading, so index and offset are of different times.
TEST(UserPage, ReadsAgainIfTheKernelChangedThePage) {
  perf_event_mmap_page page = page_of(1, 100, 48);
  PageReading reading;
  std::uint64_t retries = 0;
  int reads = 0;
  const bool readable =
      read_page(page, unused_bits(page), registers([&](std::uint32_t number) -> std::uint64_t {
                  if (reads++ < 3) {
                    ++page.lock;
                    page.index = 6;
                    page.offset = 5'000 + reads;
                    return 999;
                  }
                  EXPECT_EQ(number, 5U);
                  return 20;
                }),
                reading, retries);
  EXPECT_TRUE(readable);
  EXPECT_EQ(retries, 3U);
  EXPECT_EQ(reading.value, 5'023U);
}

TEST(UserPage, ReturnsFalseIfItLosesItsRegisterDuringTheReading) {
  perf_event_mmap_page page = page_of(1, 100, 48);
  PageReading reading{.value = 7, .lost_ns = 8};
  std::uint64_t retries = 0;
  EXPECT_FALSE(read_page(page, unused_bits(page), registers([&](std::uint32_t) -> std::uint64_t {
                           ++page.lock;
                           page.index = 0;
                           return 1;
                         }),
                         reading, retries));
  EXPECT_EQ(reading.value, 7U);
}

TEST(UserPage, GivesTheTimeWithoutARegister) {
  perf_event_mmap_page page = page_of(1, 0, 48);
  page.time_enabled = 5'000;
  page.time_running = 3'500;
  EXPECT_EQ(ask(page, 0).reading.lost_ns, 1'500U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
