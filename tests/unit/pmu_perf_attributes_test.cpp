// Tests struct perf_event_attr, which is passed to the kernel, by the layout in the kernel's
// header.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <fstream>

#include "pmu/perf/perf_open.hpp"

namespace tacho::TEST_FILE {
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

TEST(PmuPerfAttributes, OnlySamplesOfTracepointsHaveRawData) {
  const PerfOpen how{.sampling = PerfSampling{}};
  Event event;
  const auto sample_type = [&] {
    return word_at<std::uint64_t>(perf_attributes(event, how),
                                  offsetof(perf_event_attr, sample_type));
  };
  EXPECT_EQ(sample_type() & PERF_SAMPLE_RAW, 0U);
  event.type = PERF_TYPE_TRACEPOINT;
  EXPECT_NE(sample_type() & PERF_SAMPLE_RAW, 0U);
}

// As perf asks for {a,b}:S (evsel__config in tools/perf/util/evsel.c): the members have the fields
// of the leader's samples, and take none.
TEST(PmuPerfAttributes, OfAGroupOnlyTheLeaderIsSampledWithAllCounts) {
  PerfOpen how{.sampling = PerfSampling{.spec = {}, .counts_group = true}};
  const auto leader = perf_attributes(Event(), how);
  how.leader = 3;
  how.sampling->is_member = true;
  const auto member = perf_attributes(Event(), how);
  const auto word = [](const auto& bytes, std::size_t at) {
    return word_at<std::uint64_t>(bytes, at);
  };
  constexpr std::size_t kSampleType = offsetof(perf_event_attr, sample_type);
  constexpr std::size_t kReadFormat = offsetof(perf_event_attr, read_format);
  constexpr std::size_t kPeriod = offsetof(perf_event_attr, sample_period);
  EXPECT_NE(word(leader, kSampleType) & PERF_SAMPLE_READ, 0U);
  EXPECT_EQ(word(leader, kSampleType), word(member, kSampleType));
  EXPECT_EQ(word(leader, kReadFormat) & (PERF_FORMAT_GROUP | PERF_FORMAT_ID),
            static_cast<std::uint64_t>(PERF_FORMAT_GROUP | PERF_FORMAT_ID));
  EXPECT_EQ(word(leader, kReadFormat), word(member, kReadFormat));
  EXPECT_NE(word(leader, kPeriod), 0U);
  EXPECT_EQ(word(member, kPeriod), 0U);
}

TEST(PmuPerfAttributes, AnExclusiveEventLeads) {
  Event event;
  event.exclusive = true;
  constexpr std::size_t kBits = 40;  // behind read_format
  constexpr std::uint64_t kExclusive = 1U << 3U;
  EXPECT_NE(word_at<std::uint64_t>(perf_attributes(event, {}), kBits) & kExclusive, 0U);
  EXPECT_EQ(word_at<std::uint64_t>(perf_attributes(event, {.leader = 3}), kBits) & kExclusive, 0U);
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
}  // namespace tacho::TEST_FILE
