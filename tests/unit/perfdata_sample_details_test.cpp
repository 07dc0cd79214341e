// The fields of a sample that a profile does not need, in both byte orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "perfdata/sample_details.hpp"
#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using tacho::perfdata::RecordedEvent;
using tacho::perfdata::SampleDetails;
using testing::ElementsAre;

constexpr std::uint64_t kAllFields = (1U << 24) - 1;

RecordedEvent all_fields() {
  RecordedEvent event;
  event.sample_type = kAllFields;
  event.read_format = 31;  // a group, with times, ids and lost samples
  event.branch_sample_type = 1U << 17 | 1U << 19;
  event.user_registers = 0x8005;
  event.interrupt_registers = 0xf;
  return event;
}

std::string full_body(Order order) {
  Packed body(order);
  body.u64(77).u64(0x401000).u32(12).u32(13).u64(5'000'000'000).u64(0xadd);
  body.u64(77).u64(78).u32(3).u32(0).u64(999);
  body.u64(2).u64(10).u64(9).u64s({1, 77, 0, 2, 79, 4});  // READ of two events
  body.u64(1).u64(0x401000);                              // CALLCHAIN
  body.u32(12).bytes("abcdefghijkl");                     // RAW
  body.u64(1).u64(5).u64s({0x10, 0x20, 0}).u64(101);      // BRANCH_STACK with its counters
  body.u64(2).u64s({11, 12, 13});                         // REGS_USER
  body.u64(8).bytes("stackst_").u64(5);                   // STACK_USER
  body.u64(0x1234500000042).u64(0x5c).u64(0x7);           // WEIGHT DATA_SRC TRANSACTION
  body.u64(2).u64s({21, 22, 23, 24});                     // REGS_INTR
  body.u64(0xfee1).u64(31).u64(4096).u64(8192);           // PHYS_ADDR CGROUP PAGE_SIZES
  body.u64(8).bytes("auxauxau");                          // AUX; the kernel writes it last
  return body.str();
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool details_of(const std::string& body, const RecordedEvent& event, Order order,
                SampleDetails& details) {
  return read_sample_details(std::as_bytes(std::span(body)), event, order == Order::big, details);
}

class SampleDetailsOfBothOrders : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(Orders, SampleDetailsOfBothOrders,
                         testing::Values(Order::little, Order::big));

TEST_P(SampleDetailsOfBothOrders, HaveTheFieldsOfTheirType) {
  SampleDetails details;
  details.counters.resize(9);  // of the sample before
  const std::string body = full_body(GetParam());
  ASSERT_TRUE(details_of(body, all_fields(), GetParam(), details));
  EXPECT_EQ(details.identifier, 77U);
  EXPECT_EQ(details.address, 0xaddU);
  EXPECT_EQ(details.id, 77U);
  EXPECT_EQ(details.stream_id, 78U);
  EXPECT_EQ(details.cpu, 3U);
  EXPECT_EQ(details.time_enabled, 10U);
  EXPECT_EQ(details.time_running, 9U);
  ASSERT_EQ(details.counters.size(), 2U);
  EXPECT_EQ(details.counters[1].value, 2U);
  EXPECT_EQ(details.counters[1].id, 79U);
  EXPECT_EQ(details.counters[1].lost, 4U);
  EXPECT_EQ(text_of(details.raw), "abcdefghijkl");
  EXPECT_EQ(details.weight, 0x1234500000042U);
  EXPECT_EQ(details.data_source, 0x5cU);
  EXPECT_EQ(details.transaction, 7U);
  EXPECT_EQ(details.interrupt_abi, 2U);
  EXPECT_THAT(details.interrupt_registers, ElementsAre(21, 22, 23, 24));
  EXPECT_EQ(details.physical_address, 0xfee1U);
  EXPECT_EQ(details.cgroup, 31U);
  EXPECT_EQ(details.data_page_size, 4096U);
  EXPECT_EQ(details.code_page_size, 8192U);
  EXPECT_EQ(text_of(details.aux), "auxauxau");
}

TEST_P(SampleDetailsOfBothOrders, AreIncompleteIfTheSampleIsCut) {
  const std::string body = full_body(GetParam());
  SampleDetails details;
  for (std::size_t size = 0; size < body.size(); size += 4)
    EXPECT_FALSE(details_of(body.substr(0, size), all_fields(), GetParam(), details)) << size;
}

TEST(SampleDetails, OfASmallSampleAreAbsent) {
  RecordedEvent event;
  event.sample_type = 1;
  SampleDetails details;
  details.cpu = 5;
  ASSERT_TRUE(details_of(std::string(8, '\1'), event, Order::little, details));
  EXPECT_FALSE(details.cpu || details.address || details.weight || details.id);
}

}  // namespace
}  // namespace TEST_FILE
