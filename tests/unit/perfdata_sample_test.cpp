// Every field of a sample, in the order of perf_event_open(2), in both byte orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using testing::ElementsAre;

// Without WEIGHT_STRUCT, which is another form of the field WEIGHT: a recording has one of them.
constexpr std::uint64_t kAllFields = (1U << 24) - 1;
constexpr std::uint64_t kGroupWithIdAndTimes = 15;
constexpr std::uint64_t kHardwareIndexAndCounters = 1U << 17 | 1U << 19;

std::string branch(Order order, std::uint64_t from, std::uint64_t to, std::uint64_t cycles) {
  return Packed(order)
      .u64(from)
      .u64(to)
      .bit_field({{1, 1}, {0, 1}, {1, 1}, {0, 1}, {cycles, 16}, {3, 4}, {2, 2}})
      .str();
}

std::string full_sample(Order order, std::uint16_t misc) {
  Packed body(order);
  body.u64(77);                                                      // IDENTIFIER
  body.u64(0x401000).u32(12).u32(13).u64(5'000'000'000).u64(0xadd);  // IP TID TIME ADDR
  body.u64(77).u64(78).u32(3).u32(0).u64(999);                       // ID STREAM_ID CPU PERIOD
  body.u64(2).u64(10).u64(9).u64s({1, 77, 2, 79});                   // READ of two events
  body.u64(3).u64s({0xffffffffffffff80, 0x401000, 0x402000});        // CALLCHAIN
  body.u32(12).bytes("abcdefghijkl");                                // RAW
  body.u64(2).u64(5);                                                // BRANCH_STACK, HW_INDEX
  body.bytes(branch(order, 0x10, 0x20, 7)).bytes(branch(order, 0x30, 0x40, 65535));
  body.u64s({101, 102});                         // its counters
  body.u64(2).u64s({11, 12, 13});                // REGS_USER of three registers
  body.u64(8).bytes("stackst_").u64(5);          // STACK_USER, of which 5 bytes were filled
  body.u64(0x1234500000042).u64(0x5c).u64(0x7);  // WEIGHT DATA_SRC TRANSACTION
  body.u64(2).u64s({21, 22, 23, 24});            // REGS_INTR
  body.u64(0xfee1).u64(31).u64(4096).u64(8192);  // PHYS_ADDR CGROUP PAGE_SIZES
  body.u64(8).bytes("auxauxau");                 // AUX
  return record(order, 9, misc, body.str());
}

Attr full_attr() {
  return {.sample_type = kAllFields,
          .read_format = kGroupWithIdAndTimes,
          .branch_sample_type = kHardwareIndexAndCounters,
          .registers = 0x8005,
          .interrupt_registers = 0xf,
          .ids = {77}};
}

class SampleOfBothOrders : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(Orders, SampleOfBothOrders, testing::Values(Order::little, Order::big));

TEST_P(SampleOfBothOrders, HasTheFieldsOfItsType) {
  const std::string bytes = full_sample(GetParam(), 0x4002);
  const ReadBack back = read_back(stream(GetParam(), {full_attr()}, bytes));
  ASSERT_EQ(back.error, "");
  ASSERT_EQ(back.records.size(), 1U);
  const CopiedRecord& kept = back.records[0];
  const auto& sample = kept.sample();
  EXPECT_EQ(kept.record.time_ns, 5'000'000'000U);
  EXPECT_EQ(sample.mode, tacho::perfdata::Mode::user);
  EXPECT_TRUE(sample.exact_ip);
  EXPECT_EQ(sample.ip, 0x401000U);
  EXPECT_EQ(sample.pid, 12);
  EXPECT_EQ(sample.tid, 13);
  EXPECT_EQ(sample.time_ns, 5'000'000'000U);
  EXPECT_EQ(sample.period, 1U) << "the count of READ goes before PERIOD, as in perf";
  EXPECT_THAT(kept.chain, ElementsAre(0xffffffffffffff80, 0x401000, 0x402000));
  ASSERT_EQ(kept.branches.size(), 2U);
  EXPECT_EQ(kept.branches[0].from, 0x10U);
  EXPECT_EQ(kept.branches[0].to, 0x20U);
  EXPECT_EQ(kept.branches[0].cycles, 7);
  EXPECT_TRUE(kept.branches[0].mispredicted);
  EXPECT_FALSE(kept.branches[0].predicted);
  EXPECT_EQ(kept.branches[0].speculation, 2);
  EXPECT_EQ(kept.branches[1].cycles, 65535);
  EXPECT_EQ(sample.user_abi, 2U);
  EXPECT_EQ(sample.user_mask, 0x8005U);
  EXPECT_THAT(kept.registers, ElementsAre(11, 12, 13));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(kept.stack.data()), kept.stack.size()),
            "stack");
}

TEST_P(SampleOfBothOrders, ThatIsCutAnywhereIsCountedAndNotYielded) {
  const std::string bytes = full_sample(GetParam(), 0x4002);
  for (std::size_t size = 8; size < bytes.size(); size += 4) {
    const std::string_view body = std::string_view(bytes).substr(8, size - 8);
    const ReadBack back =
        read_back(stream(GetParam(), {full_attr()}, record(GetParam(), 9, 2, body)));
    EXPECT_EQ(back.error, "") << size;
    EXPECT_EQ(back.tally.unparsed, 1U) << size;
    EXPECT_TRUE(back.records.empty()) << size;
  }
}

TEST(Sample, HasNoFieldThatItsTypeDoesNotName) {
  const std::string bytes = record(Order::little, 9, 1, Packed(Order::little).u64(5).str());
  const ReadBack back = read_back(file(Order::little, {{.sample_type = 1}}, bytes));
  ASSERT_EQ(back.records.size(), 1U);
  const auto& sample = back.records[0].sample();
  EXPECT_EQ(sample.ip, 5U);
  EXPECT_EQ(sample.mode, tacho::perfdata::Mode::kernel);
  EXPECT_FALSE(sample.pid || sample.tid || sample.time_ns || sample.period);
}

TEST(Sample, WithoutRegistersAndStackHasNone) {
  Packed body(Order::little);
  body.u64(0).u64(0);  // no ABI, no stack: as in a kernel thread
  const ReadBack back =
      read_back(file(Order::little, {{.sample_type = 1U << 12 | 1U << 13, .registers = 0xff}},
                     record(Order::little, 9, 1, body.str())));
  ASSERT_EQ(back.tally.samples, 1U);
  EXPECT_EQ(back.records[0].sample().user_abi, 0U);
  EXPECT_TRUE(back.records[0].registers.empty());
  EXPECT_TRUE(back.records[0].stack.empty());
}

TEST(Sample, CanHaveAReadingOfOneEvent) {
  Packed body(Order::little);
  body.u64(4711).u64(1).u64(2).u64(3).u64(4);  // value, times, id, lost
  body.u64(1).u64(0x99);                       // a call chain follows
  const ReadBack back = read_back(
      file(Order::little,
           {{.sample_type = 1U << 4 | 1U << 5, .read_format = 1 | 2 | 4 | 16, .ids = {3}}},
           record(Order::little, 9, 1, body.str())));
  ASSERT_EQ(back.tally.samples, 1U);
  EXPECT_EQ(back.records[0].sample().period, 4711U);
  EXPECT_THAT(back.records[0].chain, ElementsAre(0x99));
}

// Samples of a group's leader (perf's modifier S), of the events 11 and 22.
class SamplesOfALeader : public testing::Test {
 protected:
  static constexpr std::uint64_t kIdentifierTidRead = 1U << 16 | 1U << 1 | 1U << 4;
  static constexpr std::uint64_t kGroupWithId = 4 | 8;

  void add(std::uint32_t tid, std::uint64_t leader, std::uint64_t member) {
    data_ += record(
        Order::little, 9, 2,
        Packed(Order::little).u64(11).u32(7).u32(tid).u64(2).u64s({leader, 11, member, 22}).str());
  }
  // "EVENT:PERIOD" of each sample.
  std::vector<std::string> read(bool inherit) {
    std::vector<Attr> attrs;
    for (const std::uint64_t id : {std::uint64_t{11}, std::uint64_t{22}})
      attrs.push_back({.sample_type = kIdentifierTidRead,
                       .read_format = kGroupWithId,
                       .ids = {id},
                       .inherit = inherit});
    const ReadBack back = read_back(file(Order::little, attrs, data_));
    EXPECT_EQ(back.error, "");
    std::vector<std::string> found;
    for (const CopiedRecord& each : back.records)
      found.push_back(std::to_string(each.sample().event) + ":" +
                      std::to_string(each.sample().period.value_or(0)));
    EXPECT_EQ(back.tally.samples, found.size());
    return found;
  }

 private:
  std::string data_;
};

TEST_F(SamplesOfALeader, StandForEachMemberThatHasCountedSinceTheLast) {
  add(8, 100, 7);
  add(8, 300, 7);
  add(8, 310, 12);
  EXPECT_THAT(read(false), ElementsAre("0:100", "1:7", "0:200", "0:10", "1:5"));
}

TEST_F(SamplesOfALeader, HaveTheCountsOfTheirThreadIfTheEventIsInherited) {
  add(8, 100, 7);
  add(9, 50, 0);
  add(8, 150, 9);
  add(9, 60, 1);
  EXPECT_THAT(read(true), ElementsAre("0:100", "1:7", "0:50", "0:50", "1:2", "0:10", "1:1"));
}

}  // namespace
}  // namespace TEST_FILE
