// Tests struct perf_event_attr, which is passed to the kernel, by the layout in the kernel's
// header.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>

#include "pmu/perf/perf_open.hpp"

namespace tacho {
namespace {

template <typename Word>
Word word_at(const std::vector<std::byte>& bytes, std::size_t offset) {
  Word word{};
  if (offset + sizeof word <= bytes.size()) std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

TEST(PmuPerfAttributes, HasConfig3OnlyIfTheEventHasIt) {
  Event event;
  event.type = PERF_TYPE_RAW;
  EXPECT_EQ(perf_attributes(event, {}).size(), 128U);
  event.config3 = 0x1122334455667788;
  const auto bytes = perf_attributes(event, {});
  ASSERT_EQ(bytes.size(), 136U);
  EXPECT_EQ(word_at<std::uint32_t>(bytes, offsetof(perf_event_attr, size)), 136U);
  EXPECT_EQ(word_at<std::uint64_t>(bytes, 128), event.config3);
}

TEST(PmuPerfAttributes, HasABreakpointsAccessAddressAndBytes) {
  Event event;
  event.type = PERF_TYPE_BREAKPOINT;
  event.access = 2;
  event.config1 = 0x404028;
  event.config2 = 8;
  const auto bytes = perf_attributes(event, {});
  EXPECT_EQ(word_at<std::uint32_t>(bytes, offsetof(perf_event_attr, bp_type)), 2U);
  EXPECT_EQ(word_at<std::uint64_t>(bytes, offsetof(perf_event_attr, bp_addr)), 0x404028U);
  EXPECT_EQ(word_at<std::uint64_t>(bytes, offsetof(perf_event_attr, bp_len)), 8U);
}

}  // namespace
}  // namespace tacho
