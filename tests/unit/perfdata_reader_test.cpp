// Recordings as files and as streams: their events and features, and records other than samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using namespace tacho::perfdata;
using testing::ElementsAre;

constexpr std::uint64_t kIpTidTime = 1 | 2 | 4;
constexpr std::uint64_t kId = 1 << 6, kStreamId = 1 << 9, kCpu = 1 << 7, kIdentifier = 1 << 16;

std::string sample(Order order, std::uint64_t ip, std::uint64_t time) {
  return perf_format::record(order, 9, 2, Packed(order).u64(ip).u32(1).u32(1).u64(time).str());
}

// The fields at the end of records other than samples: pid, tid and time.
std::string trailer(Order order, std::uint64_t time) {
  return Packed(order).u32(1).u32(1).u64(time).str();
}

class BothKinds : public testing::TestWithParam<std::tuple<Order, bool>> {
 protected:
  Order order() const { return std::get<0>(GetParam()); }
  ReadBack read(const std::vector<perf_format::Attr>& attrs, std::string_view data) const {
    return read_back(std::get<1>(GetParam()) ? stream(order(), attrs, data)
                                             : file(order(), attrs, data));
  }
};
INSTANTIATE_TEST_SUITE_P(OrdersAndKinds, BothKinds,
                         testing::Combine(testing::Values(Order::little, Order::big),
                                          testing::Bool()));

TEST_P(BothKinds, HaveTheirEvents) {
  for (const std::uint32_t size : {64U, 72U, 80U, 96U, 104U, 112U, 120U, 128U, 136U, 144U}) {
    const ReadBack back = read({{.size = size,
                                 .config = 1,
                                 .period = 4000,
                                 .sample_type = kIpTidTime,
                                 .exclude_kernel = true,
                                 .frequency = true,
                                 .precise = 2,
                                 .branch_sample_type = 9,
                                 .ids = {5, 6}},
                                {.size = size, .sample_type = kIpTidTime, .ids = {7}}},
                               sample(order(), 0x1000, 5));
    ASSERT_EQ(back.error, "") << size;
    ASSERT_EQ(back.description.events.size(), 2U);
    const RecordedEvent& event = back.description.events[0];
    EXPECT_EQ(event.name, "instructions:upp");
    EXPECT_EQ(event.frequency, 4000U);
    EXPECT_EQ(event.period, 0U);
    EXPECT_EQ(event.precise, 2);
    EXPECT_TRUE(event.exclude_kernel);
    EXPECT_FALSE(event.exclude_user);
    EXPECT_TRUE(event.sample_id_all);
    EXPECT_THAT(event.ids, ElementsAre(5, 6));
    EXPECT_EQ(event.config1, size >= 64 ? 0x1111U : 0U);
    EXPECT_EQ(event.config2, size >= 72 ? 0x2222U : 0U);
    EXPECT_EQ(event.branch_sample_type, size >= 80 ? 9U : 0U);
    EXPECT_EQ(event.config3, size >= 136 ? 0x3333U : 0U);
    EXPECT_EQ(back.description.events[1].name, "cycles");
    EXPECT_EQ(back.description.events[1].period, 1000U);
    EXPECT_EQ(back.tally.samples, 1U);
  }
}

TEST_P(BothKinds, YieldMappingsNamesForksAndExits) {
  Packed mmap(order());
  mmap.u32(10).u32(11).u64(0x400000).u64(0x1000).u64(0x2000).text("/bin/true");
  Packed mmap2(order());
  mmap2.u32(10).u32(11).u64(0x500000).u64(0x1000).u64(0x3000);
  mmap2.u8(3).u8(0).u16(0).bytes("\x01\xab\xff").bytes(std::string(17, '\0'));
  mmap2.u32(5).u32(2).text("/lib/libc.so");
  const std::string task = Packed(order()).u32(20).u32(10).u32(21).u32(11).u64(4).str();
  const std::string data =
      perf_format::record(order(), 1, 1 | 1 << 13, mmap.str() + trailer(order(), 1)) +
      perf_format::record(order(), 10, 2 | 1 << 14, mmap2.str() + trailer(order(), 2)) +
      perf_format::record(
          order(), 3, 1 << 13,
          Packed(order()).u32(10).u32(11).text("true").str() + trailer(order(), 3)) +
      perf_format::record(order(), 7, 0, task + trailer(order(), 4)) +
      perf_format::record(order(), 4, 0, task + trailer(order(), 5));
  const ReadBack back = read({{.sample_type = kIpTidTime}}, data);
  ASSERT_EQ(back.error, "");
  const auto mappings = back.all<Mapping>();
  ASSERT_EQ(mappings.size(), 2U);
  EXPECT_EQ(mappings[0].pid, 10);
  EXPECT_EQ(mappings[0].tid, 11);
  EXPECT_EQ(mappings[0].start, 0x400000U);
  EXPECT_EQ(mappings[0].length, 0x1000U);
  EXPECT_EQ(mappings[0].offset, 0x2000U);
  EXPECT_EQ(mappings[0].path, "/bin/true");
  EXPECT_EQ(mappings[0].mode, Mode::kernel);
  EXPECT_FALSE(mappings[0].executable);
  EXPECT_EQ(mappings[1].build_id.hex(), "01abff");
  EXPECT_EQ(mappings[1].path, "/lib/libc.so");
  EXPECT_TRUE(mappings[1].executable);
  const auto commands = back.all<Command>();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].name, "true");
  EXPECT_TRUE(commands[0].exec);
  ASSERT_EQ(back.all<Fork>().size(), 1U);
  EXPECT_EQ(back.all<Fork>()[0].pid, 20);
  EXPECT_EQ(back.all<Fork>()[0].parent_pid, 10);
  EXPECT_EQ(back.all<Fork>()[0].tid, 21);
  EXPECT_EQ(back.all<Fork>()[0].parent_tid, 11);
  ASSERT_EQ(back.all<Exit>().size(), 1U);
  EXPECT_EQ(back.records[4].record.time_ns, 5U);
}

TEST_P(BothKinds, CountLostAndUnknownRecords) {
  const std::string data =
      perf_format::record(order(), 2, 0, Packed(order()).u64(7).u64(100).str()) +
      perf_format::record(order(), 13, 0, Packed(order()).u64(30).str()) +
      perf_format::record(order(), 5, 0, Packed(order()).u64(1).u64(7).u64(7).str()) +
      perf_format::record(order(), 6, 0, Packed(order()).u64(1).u64(7).u64(7).str()) +
      perf_format::record(order(), 18, 0, "bpfevent") + perf_format::record(order(), 18, 0, "") +
      perf_format::record(order(), 4000, 0, "whatever");
  const ReadBack back = read({{.sample_type = 1, .sample_id_all = false}}, data);
  ASSERT_EQ(back.error, "");
  EXPECT_EQ(back.tally.lost, 100U);
  EXPECT_EQ(back.tally.lost_samples, 30U);
  EXPECT_EQ(back.tally.throttles, 1U);
  EXPECT_EQ(back.tally.skipped, (std::map<std::uint32_t, std::uint64_t>{{18, 2}}));
  EXPECT_EQ(back.tally.unknown, (std::map<std::uint32_t, std::uint64_t>{{4000, 1}}));
  ASSERT_EQ(back.all<Lost>().size(), 2U);
  EXPECT_EQ(back.all<Lost>()[0].id, 7U);
  ASSERT_EQ(back.all<Throttle>().size(), 2U);
  EXPECT_TRUE(back.all<Throttle>()[0].on);
  EXPECT_FALSE(back.all<Throttle>()[1].on);
}

// The kernel's own record has a time. The sum that perf record writes at its end has none. Samples
// that a filter dropped were not wanted.
TEST_P(BothKinds, DistinguishLostSamplesFromSumsAndFromFilteredSamples) {
  const auto lost_samples = [&](std::uint16_t misc, std::uint64_t count, std::uint64_t time) {
    return perf_format::record(order(), 13, misc,
                               Packed(order()).u64(count).str() + trailer(order(), time));
  };
  const ReadBack back =
      read({{.sample_type = kIpTidTime}},
           lost_samples(0, 30, 5) + lost_samples(0, 40, 0) + lost_samples(1U << 15, 50, 0));
  ASSERT_EQ(back.error, "");
  LostRecords all;
  std::uint64_t summed_up = 0;
  for (const Lost& lost : back.all<Lost>()) {
    all.add(lost);
    if (lost.summed_up) summed_up += lost.count;
  }
  EXPECT_EQ(summed_up, 40U);
  EXPECT_EQ(all.count(), 40U);
  EXPECT_EQ(back.tally.lost_samples, 70U);
}

TEST_P(BothKinds, SkipTraceDataThatLooksLikeRecords) {
  const std::string inside = sample(order(), 1, 1) + sample(order(), 2, 2);
  Packed auxtrace(order());
  auxtrace.u64(inside.size()).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0);
  const std::string data =
      perf_format::record(order(), 71, 0, auxtrace.str()) + inside +
      perf_format::record(order(), 66, 0, Packed(order()).u32(inside.size()).str()) + inside +
      sample(order(), 3, 3);
  const ReadBack back = read({{.sample_type = kIpTidTime}}, data);
  ASSERT_EQ(back.error, "");
  ASSERT_EQ(back.records.size(), 1U);
  EXPECT_EQ(back.records[0].sample().ip, 3U);
  EXPECT_EQ(back.tally.trace_bytes, 2 * inside.size());
}

TEST_P(BothKinds, YieldTheRecordsOfSeveralBuffersInTimeOrder) {
  const std::string round = perf_format::record(order(), 68, 0, "");
  std::string data;
  for (const std::uint64_t time : {10U, 20U, 30U, 12U, 22U}) data += sample(order(), time, time);
  data += round;
  for (const std::uint64_t time : {40U, 25U, 35U, 31U}) data += sample(order(), time, time);
  data += round + sample(order(), 50, 50) + sample(order(), 45, 45);
  const ReadBack back = read({{.sample_type = kIpTidTime}}, data);
  std::vector<std::uint64_t> times;
  for (const CopiedRecord& each : back.records) times.push_back(*each.record.time_ns);
  EXPECT_THAT(times, ElementsAre(10, 12, 20, 22, 25, 30, 31, 35, 40, 45, 50));
  EXPECT_EQ(back.tally.out_of_order, 0U);
}

TEST_P(BothKinds, YieldAndCountARecordThatComesAfterALaterOne) {
  const std::string round = perf_format::record(order(), 68, 0, "");
  const ReadBack back = read({{.sample_type = kIpTidTime}},
                             sample(order(), 1, 100) + round + round + sample(order(), 2, 50));
  ASSERT_EQ(back.records.size(), 2U);
  EXPECT_EQ(back.records[1].record.time_ns, 50U);
  EXPECT_EQ(back.tally.out_of_order, 1U);
}

TEST_P(BothKinds, YieldARecordWithoutTimeAtItsPlaceInTheData) {
  const std::string command = Packed(order()).u32(1).u32(1).text("first").str();
  const std::string data =
      sample(order(), 1, 100) + perf_format::record(order(), 3, 0, command + trailer(order(), 0));
  const ReadBack back = read({{.sample_type = kIpTidTime}}, data);
  ASSERT_EQ(back.records.size(), 2U);
  EXPECT_EQ(back.all<Command>()[0].name, "first");
  EXPECT_TRUE(std::holds_alternative<Sample>(back.records[1].record.what));
}

// Samples have the id at another place than other records, which have it at their end.
TEST_P(BothKinds, FindTheEventOfARecordByItsId) {
  for (const std::uint64_t id_field : {kId, kIdentifier}) {
    const std::uint64_t type = kIpTidTime | id_field | kStreamId | kCpu;
    const auto with_id = [&](std::uint64_t id) {
      Packed body(order());
      if (id_field == kIdentifier) body.u64(id);
      body.u64(0x10).u32(1).u32(1).u64(id);
      if (id_field == kId) body.u64(id);
      return perf_format::record(order(), 9, 2, body.u64(1).u32(0).u32(0).str());
    };
    Packed lost(order());
    lost.u64(5).u32(1).u32(1).u64(60);
    if (id_field == kId) lost.u64(21);
    lost.u64(1).u32(0).u32(0);
    if (id_field == kIdentifier) lost.u64(21);
    const ReadBack back = read(
        {{.sample_type = type, .ids = {20}}, {.config = 1, .sample_type = type, .ids = {21, 22}}},
        with_id(20) + with_id(21) + with_id(22) + with_id(23) + with_id(0) +
            perf_format::record(order(), 13, 0, lost.str()));
    ASSERT_EQ(back.error, "");
    std::vector<std::size_t> events;
    for (const CopiedRecord& each : back.records)
      if (std::holds_alternative<Sample>(each.record.what)) events.push_back(each.sample().event);
    // perf itself adds records with id 0, which have no time.
    EXPECT_THAT(events, ElementsAre(0, 0, 1, 1));
    EXPECT_EQ(back.tally.no_event, 1U);
    ASSERT_EQ(back.all<Lost>().size(), 1U);
    EXPECT_EQ(back.all<Lost>()[0].id, 21U);
  }
}

class FilesOfBothOrders : public testing::TestWithParam<Order> {};
INSTANTIATE_TEST_SUITE_P(Orders, FilesOfBothOrders, testing::Values(Order::little, Order::big));

std::string build_id_record(Order order, std::uint16_t misc) {
  Packed body(order);
  body.u32(static_cast<std::uint32_t>(-1)).bytes(std::string(20, '\x2a')).u8(16).u8(0).u16(0);
  return perf_format::record(order, 67, misc, body.text("[kernel.kallsyms]").str());
}

std::string event_names(Order order, const perf_format::Attr& attr, std::string_view name) {
  Packed section(order);
  section.u32(1).u32(attr.size).bytes(to_bytes(attr, order)).u32(attr.ids.size()).counted(name);
  return section.u64s(attr.ids).str();
}

std::map<std::uint64_t, std::string> all_features(Order order, const perf_format::Attr& attr) {
  return {{2, build_id_record(order, 1) + build_id_record(order, 1 | 1 << 15)},
          {3, Packed(order).counted("host").str()},
          {4, Packed(order).counted("6.1.0").str()},
          {5, Packed(order).counted("6.1.19").str()},
          {6, Packed(order).counted("ppc64").str()},
          {7, Packed(order).u32(8).u32(6).str()},
          {8, Packed(order).counted("a processor").str()},
          {9, Packed(order).counted("Vendor,6,69,1").str()},
          {10, Packed(order).u64(16384).str()},
          {11, Packed(order).u32(2).counted("perf").counted("record").str()},
          {12, event_names(order, attr, "my-event:u")},
          {13, "something"},
          {17, Packed(order).u32(1).counted("group").u32(0).u32(2).str()},
          {21, Packed(order).u64(1000).u64(2000).str()},
          {200, "of later days"}};
}

void expect_all_features(const Description& description) {
  EXPECT_EQ(description.host, "host");
  EXPECT_EQ(description.kernel, "6.1.0");
  EXPECT_EQ(description.perf_version, "6.1.19");
  EXPECT_EQ(description.architecture, "ppc64");
  EXPECT_EQ(description.cpus_available, 8U);
  EXPECT_EQ(description.cpus_online, 6U);
  EXPECT_EQ(description.cpu, "a processor");
  EXPECT_EQ(description.cpu_id, "Vendor,6,69,1");
  EXPECT_EQ(description.memory_kb, 16384U);
  EXPECT_THAT(description.command, ElementsAre("perf", "record"));
  EXPECT_EQ(description.events[0].name, "my-event:u");
  EXPECT_EQ(description.first_sample_ns, 1000U);
  EXPECT_EQ(description.last_sample_ns, 2000U);
  ASSERT_EQ(description.build_ids.size(), 2U);
  EXPECT_EQ(description.build_ids[0].path, "[kernel.kallsyms]");
  EXPECT_EQ(description.build_ids[0].pid, -1);
  EXPECT_EQ(description.build_ids[0].mode, Mode::kernel);
  EXPECT_EQ(description.build_ids[0].id.size, 20);
  EXPECT_EQ(description.build_ids[1].id.size, 16);
  ASSERT_EQ(description.groups.size(), 1U);
  EXPECT_EQ(description.groups[0].name, "group");
  EXPECT_EQ(description.groups[0].size, 2U);
}

TEST_P(FilesOfBothOrders, DescribeTheirMachineAfterTheData) {
  const perf_format::Attr attr{.sample_type = kIpTidTime, .ids = {3}};
  const ReadBack back =
      read_back(file(GetParam(), {attr}, sample(GetParam(), 1, 1), all_features(GetParam(), attr)));
  ASSERT_EQ(back.error, "");
  EXPECT_EQ(back.tally.damaged_features, 0U);
  EXPECT_EQ(back.description.swapped, GetParam() == Order::big);
  expect_all_features(back.description);
}

TEST_P(FilesOfBothOrders, DescribeTheirMachineInAStream) {
  const perf_format::Attr attr{.sample_type = kIpTidTime, .ids = {3}};
  std::string features;
  for (const auto& [feature, section] : all_features(GetParam(), attr))
    features +=
        perf_format::record(GetParam(), 80, 0, Packed(GetParam()).u64(feature).str() + section);
  // Versions of perf write them before the events or after them.
  const std::string whole = stream(GetParam(), {attr}, features);
  expect_all_features(read_back(whole).description);
  const std::string early =
      whole.substr(0, 16) + features + whole.substr(16, whole.size() - 16 - features.size());
  const ReadBack back = read_back(early);
  EXPECT_TRUE(back.description.pipe);
  expect_all_features(back.description);
}

TEST_P(FilesOfBothOrders, OfTheFirstVersionsDifferOnlyInTheirMagic) {
  std::string bytes = file(GetParam(), {{.sample_type = kIpTidTime}}, sample(GetParam(), 1, 1));
  bytes.replace(0, 8, "PERFFILE");
  const ReadBack back = read_back(bytes);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.tally.samples, 1U);
}

// The feature bits are an array of `long`, which has four bytes here.
TEST(File, OfA32BitMachineOfTheOtherByteOrderDescribesItsMachine) {
  const perf_format::Attr attr{.sample_type = kIpTidTime, .ids = {3}};
  std::string bytes =
      file(Order::big, {attr}, sample(Order::big, 1, 1), all_features(Order::big, attr));
  for (std::size_t word = 72; word < 104; word += 8)
    std::swap_ranges(&bytes[word], &bytes[word + 4], &bytes[word + 4]);
  const ReadBack back = read_back(bytes);
  EXPECT_EQ(back.tally.damaged_features, 0U);
  expect_all_features(back.description);
}

TEST(Stream, RenamesItsEvents) {
  const auto update = [](std::uint64_t what, std::string_view text) {
    return perf_format::record(Order::little, 78, 0,
                               Packed(Order::little).u64(what).u64(9).text(text).str());
  };
  const ReadBack back = read_back(stream(Order::little, {{.sample_type = 1, .ids = {9}}},
                                         update(0, "Joules") + update(2, "power/energy/")));
  EXPECT_EQ(back.description.events[0].name, "power/energy/");
}

TEST(Stream, OfTheFirstVersionsNamesTracepointsByTheirConfig) {
  std::string name = "sched:sched_switch";
  name.resize(64, '\0');
  const ReadBack back = read_back(stream(
      Order::little, {{.type = 2, .config = 57, .sample_type = 1}},
      perf_format::record(Order::little, 65, 0, Packed(Order::little).u64(57).bytes(name).str())));
  EXPECT_EQ(back.description.events[0].name, "sched:sched_switch");
}

// perf record writes the size of the data when it ends. If it is killed, the size stays 0.
TEST(File, WhoseRecorderWasKilledIsReadToItsEnd) {
  std::string bytes = file(Order::little, {{.sample_type = kIpTidTime}}, "");
  bytes.resize(104 + 136 + 16);
  bytes += sample(Order::little, 1, 1) + sample(Order::little, 2, 2);
  const ReadBack back = read_back(bytes);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.tally.samples, 2U);
  EXPECT_TRUE(back.description.unfinished);
}

}  // namespace
}  // namespace TEST_FILE
