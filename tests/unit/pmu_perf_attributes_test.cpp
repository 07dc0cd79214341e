// Tests struct perf_event_attr, which is passed to the kernel, by the layout in the kernel's
// header.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <fstream>

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

TEST(PmuPerfAttributes, AskForTheCallsThatAProcessorKeepsInUserMode) {
  Event event;
  PerfSampling sampling;
  sampling.spec.chains = SampleSpec::Chains::lbr;
  const auto bytes = perf_attributes(event, {.sampling = sampling});
  const auto fields = word_at<std::uint64_t>(bytes, offsetof(perf_event_attr, sample_type));
  EXPECT_NE(fields & PERF_SAMPLE_CALLCHAIN, 0U) << "the kernel's own callers";
  EXPECT_NE(fields & PERF_SAMPLE_BRANCH_STACK, 0U);
  EXPECT_EQ(word_at<std::uint64_t>(bytes, offsetof(perf_event_attr, branch_sample_type)),
            PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS |
                PERF_SAMPLE_BRANCH_NO_CYCLES);
}

TEST(PmuPerfAttributes, SayHowLongCallChainsMayBe) {
  std::ifstream file("/proc/sys/kernel/perf_event_max_stack");
  std::uint16_t limit = 0;
  if (!(file >> limit)) GTEST_SKIP() << "this kernel does not tell how long call chains may be";
  PerfSampling sampling;
  EXPECT_EQ(word_at<std::uint16_t>(perf_attributes({}, {.sampling = sampling}),
                                   offsetof(perf_event_attr, sample_max_stack)),
            0U);
  sampling.spec.chains = SampleSpec::Chains::frame_pointers;
  EXPECT_EQ(word_at<std::uint16_t>(perf_attributes({}, {.sampling = sampling}),
                                   offsetof(perf_event_attr, sample_max_stack)),
            limit);
}

}  // namespace
}  // namespace tacho
