// TRACING_DATA: names of tracepoints that stand nowhere else, behind a record and within it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/recorded_tracepoints.hpp"
#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using tacho::perfdata::tracepoint_field;

constexpr std::uint64_t kIpTime = 1 | 4;
constexpr std::uint32_t kTracepoint = 2, kTracingData = 66;

// A file of tracefs: its size, then its text.
std::string counted_file(Order order, std::string_view text) {
  return Packed(order).u64(text.size()).bytes(text).str();
}

// The layout is that of trace-cmd.dat(5), version 6, up to the formats of events.
std::string tracing_data(Order order) {
  Packed data(order);
  data.bytes("\x17\x08\x44tracing").bytes("0.6").u8(0);
  data.u8(order == Order::big ? 1 : 0).u8(8).u32(4096);
  data.bytes("header_page").u8(0).bytes(counted_file(order, "a page"));
  data.bytes("header_event").u8(0).bytes(counted_file(order, "an event"));
  data.u32(1).bytes(counted_file(order, "name: function\nID: 1\n"));
  data.u32(2);
  data.bytes("irq").u8(0).u32(1).bytes(counted_file(order, "name: softirq_entry\nID: 77\nformat:"));
  data.bytes("sched").u8(0).u32(2);
  data.bytes(counted_file(order, "name: sched_wakeup\nID: 318\nformat:\n"));
  data.bytes(counted_file(order, "name: sched_switch\nID: 316\nformat:\n"));
  data.bytes(std::string(100'000, 'x'));  // the symbols of the kernel follow: more than a buffer
  return data.str();
}

std::string sample(Order order, std::uint64_t time) {
  return record(order, 9, 2, Packed(order).u64(0x1000).u64(time).str());
}

std::string tracing_record(Order order, std::string_view data) {
  return record(order, kTracingData, 0, Packed(order).u32(data.size()).str());
}

class TracingData : public testing::TestWithParam<Order> {
 protected:
  const Attr attr_{.type = kTracepoint, .config = 316, .sample_type = kIpTime};
};
INSTANTIATE_TEST_SUITE_P(Orders, TracingData, testing::Values(Order::little, Order::big));

TEST_P(TracingData, NamesTheTracepointsOfAnOldStream) {
  const Order order = GetParam();
  const std::string data = tracing_data(order);
  const ReadBack back =
      read_back(stream(order, {attr_}, tracing_record(order, data) + data + sample(order, 5)));
  EXPECT_EQ(back.error, "");
  ASSERT_EQ(back.description.events.size(), 1U);
  EXPECT_EQ(back.description.events[0].name, "sched:sched_switch");
  EXPECT_EQ(back.tally.samples, 1U);
  EXPECT_EQ(back.tally.trace_bytes, data.size());
}

TEST_P(TracingData, NamesTheTracepointsOfAFile) {
  const Order order = GetParam();
  constexpr std::uint64_t kFeature = 1;  // HEADER_TRACING_DATA
  const ReadBack back =
      read_back(file(order, {attr_}, sample(order, 5), {{kFeature, tracing_data(order)}}));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.description.events[0].name, "sched:sched_switch");
}

// Android's simpleperf writes the data within the record.
TEST_P(TracingData, HasTheFormatOfEachRecordedTracepoint) {
  const Order order = GetParam();
  const std::string data = tracing_data(order);
  const ReadBack back =
      read_back(stream(order, {attr_}, tracing_record(order, data) + data + sample(order, 5)));
  EXPECT_EQ(back.description.events[0].format, "name: sched_switch\nID: 316\nformat:\n");
}

// The text is that of Linux 6.18.
TEST(TracepointField, IsFoundByItsWholeName) {
  constexpr std::string_view kFormat =
      "name: sched_waking\nID: 375\nformat:\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
      "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
      "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
      "\tfield:int bad;\toffset:x;\tsize:4;\tsigned:1;\n\n"
      "print fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n";
  const auto pid = tracepoint_field(kFormat, "pid");
  ASSERT_TRUE(pid);
  EXPECT_EQ(pid->offset, 24U);
  EXPECT_EQ(pid->size, 4U);
  EXPECT_EQ(tracepoint_field(kFormat, "common_flags")->offset, 2U);
  EXPECT_FALSE(tracepoint_field(kFormat, "bad"));
  EXPECT_FALSE(tracepoint_field(kFormat, "id"));
  EXPECT_FALSE(tracepoint_field("", "pid"));
}

TEST_P(TracingData, MayBeWithinTheRecord) {
  const Order order = GetParam();
  const std::string data = tracing_data(order).substr(0, 400);
  Packed body(order);
  body.u32(data.size()).bytes(data).bytes(std::string(8 - (4 + data.size()) % 8, '\0'));
  const ReadBack back = read_back(
      file(order, {attr_}, record(order, kTracingData, 0, body.str()) + sample(order, 5)));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.tally.samples, 1U);
  EXPECT_EQ(back.description.events[0].name, "sched:sched_switch");
}

TEST_P(TracingData, DamageLeavesTheNameOut) {
  const Order order = GetParam();
  std::string data = tracing_data(order);
  for (const std::size_t size : {std::size_t{0}, std::size_t{9}, std::size_t{60}, data.size()}) {
    std::string cut = data.substr(0, size);
    if (size == data.size()) cut.replace(32, 8, std::string(8, '\xff'));  // the size of header_page
    const ReadBack back =
        read_back(stream(order, {attr_}, tracing_record(order, cut) + cut + sample(order, 5)));
    EXPECT_EQ(back.error, "") << size;
    EXPECT_EQ(back.description.events[0].name, "") << size;
    EXPECT_EQ(back.tally.samples, 1U) << size;
  }
}

}  // namespace
}  // namespace TEST_FILE
