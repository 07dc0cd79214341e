// The records of made-up recordings as tacho dump --raw prints them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dump_output.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kTid = 2, kTime = 4, kCpu = 128, kIdentifier = 1U << 16;

Dumped raw(std::string_view bytes, bool json = false) {
  tacho::DumpOptions options;
  options.raw = true;
  options.samples.json = json;
  return dumped(bytes, options);
}

class RawDumpOfBothOrders : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(Orders, RawDumpOfBothOrders, testing::Values(Order::little, Order::big));

TEST_P(RawDumpOfBothOrders, HasEveryRecordInTheOrderOfTheFileWithItsOffset) {
  const Order order = GetParam();
  const Attr attr{.sample_type = kTid | kTime | kCpu, .sample_id_all = true};
  const auto trailer = [&](std::uint64_t time) {
    return Packed(order).u32(7).u32(8).u64(time).u32(1).u32(0).str();
  };
  const std::string fork =
      record(order, 7, 0, Packed(order).u32(9).u32(7).u32(10).u32(8).u64(600).str() + trailer(600));
  const std::string sample =
      record(order, 9, 2, Packed(order).u32(9).u32(10).u64(500).u32(1).u32(0).str());
  const std::string kept = Packed(order).u64(0x1000).u32(64).u16(1).u16(0).text("bpf_prog").str();
  const std::string symbol = record(order, 17, 0, kept + trailer(400));
  const std::string unknown = record(order, 99, 0, Packed(order).u64(1).str());
  const std::string round = record(order, 68, 0, "");
  const Dumped dump = raw(file(order, {attr}, fork + sample + symbol + unknown + round));
  EXPECT_EQ(dump.error, "");
  const std::uint64_t first = 104 + 136 + 16;
  const auto at = [&](std::uint64_t behind) {
    char text[16];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(first + behind));
    return std::string(text);
  };
  const std::uint64_t second = fork.size(), third = second + sample.size();
  const std::uint64_t fourth = third + symbol.size(), fifth = fourth + unknown.size();
  EXPECT_THAT(
      dump.lines(),
      ElementsAre("     " + at(0) +
                      "    56 FORK             pid 9 parent_pid 7 tid 10 parent_tid 8 "
                      "at_ns 600 sample_pid 7 sample_tid 8 time_ns 600 cpu 1",
                  "     " + at(second) +
                      "    32 SAMPLE           misc 0x2 event \"cycles\" pid 9 "
                      "tid 10 time_ns 500 cpu 1",
                  "     " + at(third) +
                      "    64 KSYMBOL          start 0x1000 length 64 kind 1 "
                      "flags 0 name \"bpf_prog\" sample_pid 7 sample_tid 8 time_ns 400 cpu 1",
                  "     " + at(fourth) + "    16 type 99          rest 8 bytes (" +
                      (order == Order::little ? "0100000000000000" : "0000000000000001") + ")",
                  "     " + at(fifth) + "     8 FINISHED_ROUND  "));
}

TEST(RawDump, SaysWhatIsCut) {
  const Attr attr{.sample_type = kIdentifier, .sample_id_all = false};
  const std::string data = record(Order::little, 2, 0, Packed(Order::little).u64(5).u32(6).str()) +
                           record(Order::little, 9, 0, "abcd");
  const std::vector<std::string> lines = raw(stream(Order::little, {attr}, data)).lines();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], HasSubstr("HEADER_ATTR      attr_size 136 event_type 0 config 0x0 period "
                                  "1000 sample_type 0x10000 read_format 0x0 ids []"));
  EXPECT_THAT(lines[1],
              HasSubstr("LOST             id 5 cut \"the record ends before this field\""));
  EXPECT_THAT(lines[2],
              HasSubstr("SAMPLE           cut \"a field ends after the end of the record\" "
                        "content 4 bytes (61626364)"));
}

TEST(RawDump, HasTheBuildIdOfAMapping) {
  Packed body(Order::little);
  body.u32(1).u32(1).u64(0x1000).u64(0x2000).u64(0);
  body.bytes(std::string("\x04\0\0\0", 4))
      .bytes(std::string("\xde\xad\xbe\xef", 4) + std::string(16, '\0'));
  body.u32(5).u32(2).text("/bin/a b\n");
  const Attr attr{.sample_type = 1, .sample_id_all = false};
  const std::string bytes =
      file(Order::little, {attr}, record(Order::little, 10, 1U << 14, body.str()));
  EXPECT_THAT(
      raw(bytes).text,
      HasSubstr("MMAP2            misc 0x4000 pid 1 tid 1 start 0x1000 length 0x2000 offset "
                "0x0 build_id \"deadbeef\" protection 5 flags 2 path \"/bin/a b\\x0a\""));
  const auto json = nlohmann::json::parse(raw(bytes, true).text);
  EXPECT_EQ(json["offset"], 256);
  EXPECT_EQ(json["record"], "MMAP2");
  EXPECT_EQ(json["type"], 10);
  EXPECT_EQ(json["fields"]["pid"], 1);
  EXPECT_EQ(json["fields"]["start"], "0x1000");
  EXPECT_EQ(json["fields"]["path"], "/bin/a b\n");
}

// Records of every type that are cut anywhere, with bytes that are counts too large for them.
TEST(RawDump, TakesAnyRecord) {
  const Attr attr{.sample_type = (1U << 25) - 1, .read_format = 31, .ids = {0x0101010101010101}};
  std::string data;
  std::size_t records = 0;
  for (std::uint32_t type = 0; type < 100; ++type) {
    // These end the reading if they are damaged.
    if (type == 64 || type == 66 || type == 71 || type == 81 || type == 83) continue;
    for (std::size_t size = 0; size < 72; size += 4) {
      data += record(Order::little, type, 0x4002, std::string(size, type % 2 == 0 ? '\1' : '\xff'));
      ++records;
    }
  }
  const std::string bytes = file(Order::little, {attr}, data);
  EXPECT_EQ(raw(bytes).lines().size(), records);
  const std::vector<std::string> json = raw(bytes, true).lines();
  ASSERT_EQ(json.size(), records);
  for (const std::string& line : json) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(dumped(bytes).error, "");
}

TEST(RawDump, HasWhatIsBeforeTheDamage) {
  const Attr attr{.sample_type = 1, .sample_id_all = false};
  const std::string comm =
      record(Order::little, 3, 0, Packed(Order::little).u32(1).u32(1).text("a").str());
  const Dumped dump = raw(file(Order::little, {attr}, comm + std::string(8, '\0')));
  EXPECT_EQ(dump.lines().size(), 1U);
  EXPECT_THAT(dump.error, HasSubstr("is damaged at byte 280: a record of 0 bytes"));
}

}  // namespace
}  // namespace TEST_FILE
