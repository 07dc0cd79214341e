// The samples of made-up recordings, printed in perf script's layout and as JSON. The expected
// layout is that of perf script 6.1, by its source and its output.
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

constexpr std::uint64_t kIp = 1, kTid = 2, kTime = 4, kAddress = 8, kChain = 32, kCpu = 128;
constexpr std::uint64_t kPeriod = 256, kBranches = 1U << 11, kWeightStruct = 1U << 24;
constexpr std::uint64_t kUsual = kIp | kTid | kTime | kCpu | kPeriod;
constexpr std::uint16_t kUser = 2, kKernel = 1;

std::string comm(Order order, std::uint32_t tid, std::string_view name) {
  return record(order, 3, 0, Packed(order).u32(tid).u32(tid).text(name).str());
}

std::string mmap(Order order, std::uint32_t pid, std::uint64_t start, std::string_view path) {
  return record(order, 1, kUser,
                Packed(order).u32(pid).u32(pid).u64(start).u64(0x1000).u64(0).text(path).str());
}

Packed usual_sample(Order order, std::uint64_t ip, std::uint64_t time) {
  Packed body(order);
  body.u64(ip).u32(12).u32(13).u64(time).u32(3).u32(0).u64(999);
  return body;
}

Attr attr_of(std::uint64_t sample_type) {
  return {.sample_type = sample_type, .sample_id_all = false};
}

class DumpOfBothOrders : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(Orders, DumpOfBothOrders, testing::Values(Order::little, Order::big));

TEST_P(DumpOfBothOrders, HasALineForEachSampleInTheOrderOfTheirTimes) {
  const Order order = GetParam();
  const std::string data =
      comm(order, 13, "sleep well") + mmap(order, 12, 0x400000, "/nowhere/sleep") +
      record(order, 9, kUser, usual_sample(order, 0x400123, 71'000'001'999).str()) +
      record(order, 9, kKernel, usual_sample(order, 0xffffffff81000000, 70'999'999'999).str());
  for (const std::string& bytes :
       {file(order, {attr_of(kUsual)}, data), stream(order, {attr_of(kUsual)}, data)}) {
    const Dumped dump = dumped(bytes);
    EXPECT_EQ(dump.error, "");
    EXPECT_THAT(dump.lines(),
                ElementsAre("      sleep well    13 [003]    70.999999:        999 cycles:  "
                            "ffffffff81000000 [unknown] ([kernel.kallsyms])",
                            "      sleep well    13 [003]    71.000001:        999 cycles:  "
                            "          400123 [unknown] (/nowhere/sleep)"));
  }
}

TEST(Dump, PrintsCallChainsBelowTheSample) {
  Packed body = usual_sample(Order::little, 0x400123, 5'000'000'000);
  body.u64(5).u64s(
      {0xffffffffffffff80, 0xffffffff81000000, 0xfffffffffffffe00, 0x400123, 0x400200});
  const std::string data = mmap(Order::little, 12, 0x400000, "/nowhere/sleep") +
                           record(Order::little, 9, kUser, body.str());
  const std::string bytes = file(Order::little, {attr_of(kUsual | kChain)}, data);
  EXPECT_EQ(dumped(bytes).text,
            ":13    13 [003]     5.000000:        999 cycles: \n"
            "\tffffffff81000000 [unknown] ([kernel.kallsyms])\n"
            "\t          400123 [unknown] (/nowhere/sleep)\n"
            "\t          400200 [unknown] (/nowhere/sleep)\n\n");
  tacho::DumpOptions options;
  options.samples.chains = false;
  EXPECT_EQ(dumped(bytes, options).text,
            "             :13    13 [003]     5.000000:        999 cycles:  "
            "          400123 [unknown] (/nowhere/sleep)\n");
}

TEST(Dump, PrintsTheFieldsThatWereChosen) {
  const std::string data =
      record(Order::little, 9, kUser, usual_sample(Order::little, 0x400123, 5'123'456'789).str());
  const std::string bytes = file(Order::little, {attr_of(kUsual)}, data);
  tacho::DumpOptions options;
  options.samples.fields = *tacho::parse_dump_fields("pid,tid,time,ip");
  options.samples.unit = tacho::TimeUnit::nanoseconds;
  EXPECT_EQ(dumped(bytes, options).text, "   12/13        5.123456789:            400123\n");
  options.samples.fields = *tacho::parse_dump_fields("-comm,-sym,-dso,-time,-cpu,+misc");
  EXPECT_EQ(dumped(bytes, options).text, "   13 U            999 cycles:            400123\n");
}

TEST(Dump, RefusesFieldsThatDoNotExist) {
  const auto unknown = tacho::parse_dump_fields("ip,brstck");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "there is no field 'brstck'");
  EXPECT_THAT(unknown.error().remedy, HasSubstr("brstack"));
  EXPECT_FALSE(tacho::parse_dump_fields("ip,+sym"));
  tacho::DumpOptions options;
  options.samples.fields = *tacho::parse_dump_fields("ip,phys_addr");
  const std::string data = record(Order::little, 9, kUser, usual_sample(Order::little, 1, 2).str());
  for (const std::string& bytes : {file(Order::little, {attr_of(kUsual)}, data),
                                   stream(Order::little, {attr_of(kUsual)}, data)})
    EXPECT_EQ(dumped(bytes, options).error, "no sample of the recording has the field 'phys_addr'");
}

TEST(Dump, PrintsBranchesAsPerfDoes) {
  Packed body(Order::little);
  body.u64(0x10).u64(3);
  body.u64(0xa).u64(0xb).u64(1);  // mispredicted
  body.u64(0xc).u64(0xd).u64(2 | 537U << 4 |
                             std::uint64_t{5} << 20);  // predicted, 537 cycles, IND_CALL
  body.u64(0xe).u64(0xf).u64(4 | 8);                   // in a transaction, aborted
  tacho::DumpOptions options;
  options.samples.fields = *tacho::parse_dump_fields("ip,brstack");
  EXPECT_EQ(dumped(file(Order::little, {attr_of(kIp | kBranches)},
                        record(Order::little, 9, kUser, body.str())),
                   options)
                .text,
            "               10 0xa/0xb/M/-/-/0/  0xc/0xd/P/-/-/537/IND_CALL  0xe/0xf/-/X/A/0/ \n");
}

TEST(Dump, PrintsAccessesToMemory) {
  Packed body(Order::little);
  body.u64(0x10).u64(0xadd).u64(5ULL << 48 | 7ULL << 32 | 300);
  tacho::DumpOptions options;
  options.samples.fields = *tacho::parse_dump_fields("addr,weight,ins_lat,retire_lat");
  EXPECT_EQ(dumped(file(Order::little, {attr_of(kIp | kAddress | kWeightStruct)},
                        record(Order::little, 9, kUser, body.str())),
                   options)
                .text,
            "             add             300               7               5\n");
  options.samples.json = true;
  EXPECT_EQ(dumped(file(Order::little, {attr_of(kIp | kAddress | kWeightStruct)},
                        record(Order::little, 9, kUser, body.str())),
                   options)
                .text,
            R"({"address":"0xadd","weight":300,"instruction_latency":7,"retire_latency":5})"
            "\n");
}

TEST(Dump, WritesJsonLines) {
  Packed body = usual_sample(Order::little, 0x400123, 5'000'000'000);
  body.u64(2).u64s({0xfffffffffffffe00, 0x400123});
  const std::string data = comm(Order::little, 13, "say \"hi\"\n\x1b[31m") +
                           mmap(Order::little, 12, 0x400000, "/nowhere/sleep") +
                           record(Order::little, 9, kUser, body.str());
  tacho::DumpOptions options;
  options.samples.json = true;
  options.header = true;
  const std::vector<std::string> lines =
      dumped(file(Order::little, {attr_of(kUsual | kChain)}, data), options).lines();
  ASSERT_EQ(lines.size(), 2U);
  const auto header = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(header["recording"]["host"], "here");
  EXPECT_EQ(header["recording"]["events"][0]["name"], "cycles");
  const auto expected = nlohmann::json::parse(R"({
    "comm": "say \"hi\"\n\u001b[31m", "pid": 12, "tid": 13, "cpu": 3, "time_ns": 5000000000,
    "event": "cycles", "period": 999, "ip": "0x400123", "symbol": null, "module": "/nowhere/sleep",
    "chain": [{"ip": "0x400123", "symbol": null, "module": "/nowhere/sleep"}]})");
  EXPECT_EQ(nlohmann::json::parse(lines[1]), expected);
}

TEST(Dump, EscapesControlCharactersOfNames) {
  const std::string data =
      comm(Order::little, 13, "\x1b]0;x\x07") + mmap(Order::little, 12, 0x400000, "/a\nb") +
      record(Order::little, 9, kUser, usual_sample(Order::little, 0x400123, 5).str());
  EXPECT_THAT(dumped(file(Order::little, {attr_of(kUsual)}, data)).lines(),
              ElementsAre("    \\x1b]0;x\\x07    13 [003]     0.000000:        999 cycles:  "
                          "          400123 [unknown] (/a\\x0ab)"));
}

TEST(Dump, TakesTheSamplesOfTheChosenEvents) {
  const Attr cycles{.sample_type = kIp | 1U << 16, .sample_id_all = false, .ids = {5}};
  const Attr instructions{
      .config = 1, .sample_type = kIp | 1U << 16, .sample_id_all = false, .ids = {6}};
  const auto sample = [](std::uint64_t id, std::uint64_t ip) {
    return record(Order::little, 9, kUser, Packed(Order::little).u64(id).u64(ip).str());
  };
  const std::string bytes =
      file(Order::little, {cycles, instructions}, sample(5, 0xa) + sample(6, 0xb) + sample(5, 0xc));
  tacho::DumpOptions options;
  options.samples.fields = *tacho::parse_dump_fields("event,ip");
  options.samples.events = {"instructions"};
  EXPECT_EQ(dumped(bytes, options).text, "instructions:                 b\n");
  options.samples.events = {"instructions", "cycles"};
  EXPECT_EQ(dumped(bytes, options).lines().size(), 3U);
  options.samples.events = {"branches"};
  EXPECT_EQ(dumped(bytes, options).error, "the recording has no event 'branches'");
}

TEST(Dump, PrintsWhatIsBeforeTheDamageAndThenTheError) {
  const std::string sample =
      record(Order::little, 9, kUser, usual_sample(Order::little, 0x400123, 5).str());
  const std::string whole = stream(Order::little, {attr_of(kUsual)}, sample + sample);
  const Dumped dump = dumped(whole.substr(0, whole.size() - 8));
  EXPECT_EQ(dump.lines().size(), 1U);
  EXPECT_THAT(dump.error,
              HasSubstr("is damaged at byte " + std::to_string(whole.size() - sample.size())));
  EXPECT_EQ(dump.remedy, "the sample before it is shown");
}

}  // namespace
}  // namespace TEST_FILE
