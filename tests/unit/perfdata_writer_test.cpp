// Reads the writer's files with the reader, and checks the inventory's counts of their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <linux/perf_event.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "events_made_up_tree.hpp"
#include "perfdata/attr.hpp"
#include "perfdata/encode_records.hpp"
#include "perfdata/sample.hpp"
#include "perfdata/writer.hpp"
#include "perfdata_builder.hpp"

namespace tacho::perfdata::TEST_FILE {
namespace {

using perf_format::Attr;
using perf_format::Order;
using perf_format::Packed;
using testing::HasSubstr;

constexpr std::uint64_t kIp = 1, kTid = 2, kTime = 4, kIdentifier = 1U << 16U;
constexpr Order kHere = Order::little;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Two clocks, each on two CPUs.
std::vector<WrittenEvent> two_events() {
  const Attr attr{.type = 1,
                  .size = 128,
                  .config = 0,
                  .period = 250'000,
                  .sample_type = kIdentifier | kIp | kTid | kTime};
  Attr other = attr;
  other.config = 2;
  return {{"cpu-clock", bytes_of(to_bytes(attr, kHere)), {11, 12}},
          {"page-faults", bytes_of(to_bytes(other, kHere)), {21, 22}}};
}

std::string sample(std::uint64_t id, std::uint64_t ip, std::uint64_t time) {
  return perf_format::record(kHere, 9, 2,
                             Packed(kHere).u64(id).u64(ip).u32(7).u32(8).u64(time).str());
}

Mapping library() {
  return {.pid = 7,
          .tid = 7,
          .start = 0x7000,
          .length = 0x2000,
          .offset = 0x1000,
          .build_id = {.bytes = {0xab, 0xcd}, .size = 2},
          .path = "/usr/lib/libsome.so"};
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Written : testing::Test {
  MadeUpTree tree;
  std::string path = tree.path("perf.data");
  std::vector<WrittenEvent> events = two_events();
  Inventory inventory{events};

  Result<void> append(Writer& writer, std::span<const std::byte> records) {
    inventory.note(records);
    return writer.append({&records, 1});
  }
};

TEST_F(Written, RecordsAndDescriptionAreReadBack) {
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer && writer->start(events));
  const Trailer trailer = trailer_of(events);
  ASSERT_TRUE(append(*writer, encode(Command{.pid = 7, .tid = 8, .name = "some"}, trailer)));
  ASSERT_TRUE(append(*writer, encode(library(), trailer)));
  ASSERT_TRUE(append(*writer, bytes_of(sample(22, 0x7123, 500) + sample(11, 0x7456, 400) +
                                       sample(12, 0x7789, 600))));
  ASSERT_TRUE(append(*writer, encode_round_end()));
  Description written;
  written.host = "pi";
  written.cpu = "ARM1176";
  written.cpus_available = 4;
  written.cpus_online = 2;
  written.memory_kb = 1'024;
  written.perf_version = "tacho";
  written.sample_cost_ns = 2'910;
  written.cpu_time_ns = 5'000;
  written.counted = {3, std::nullopt};
  written.groups = {{.name = {}, .leader = 0, .size = 2}};
  written.command = {"tacho", "record", "some thing"};
  written.build_ids = {{.pid = -1, .mode = Mode::user, .id = library().build_id, .path = "/x"}};
  written.first_sample_ns = inventory.first_sample_ns();
  written.last_sample_ns = inventory.last_sample_ns();
  ASSERT_TRUE(writer->finish(written, events));

  const auto back = perf_format::read_back(content(path));
  EXPECT_EQ(back.error, "");
  const auto commands = back.all<Command>();
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].name, "some");
  EXPECT_EQ(commands[0].tid, 8);
  const auto mappings = back.all<Mapping>();
  ASSERT_EQ(mappings.size(), 1U);
  EXPECT_EQ(mappings[0].path, library().path);
  EXPECT_EQ(mappings[0].offset, library().offset);
  EXPECT_EQ(mappings[0].build_id, library().build_id);
  const auto samples = back.all<Sample>();
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].time_ns, 400U) << "in the order of time";
  EXPECT_EQ(samples[0].event, 0U);
  EXPECT_EQ(samples[1].event, 1U);
  EXPECT_EQ(samples[1].ip, 0x7123U);
  EXPECT_EQ(samples[1].tid, 8);
  const Description& d = back.description;
  ASSERT_EQ(d.events.size(), 2U);
  EXPECT_EQ(d.events[1].name, "page-faults");
  EXPECT_EQ(d.events[1].period, 250'000U);
  EXPECT_EQ(d.events[1].ids, (std::vector<std::uint64_t>{21, 22}));
  EXPECT_EQ(d.host, "pi");
  EXPECT_EQ(d.cpu, "ARM1176");
  EXPECT_EQ(d.cpus_available, 4U);
  EXPECT_EQ(d.memory_kb, 1'024U);
  EXPECT_EQ(d.perf_version, "tacho");
  EXPECT_EQ(d.sample_cost_ns, 2'910);
  EXPECT_EQ(d.cpu_time_ns, 5'000U);
  EXPECT_EQ(d.counted, written.counted);
  ASSERT_EQ(d.groups.size(), 1U);
  EXPECT_EQ(d.groups[0].leader, 0U);
  EXPECT_EQ(d.groups[0].size, 2U);
  EXPECT_EQ(d.command, written.command);
  ASSERT_EQ(d.build_ids.size(), 1U);
  EXPECT_EQ(d.build_ids[0].id.hex(), "abcd");
  EXPECT_EQ(d.first_sample_ns, 400U);
  EXPECT_EQ(d.last_sample_ns, 600U);
}

// A sample with two registers, for an event whose samples have three and 16 bytes of the stack.
TEST(EncodedSample, IsReadBackWithWhatTheEventHas) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.sample_type = kIdentifier | kIp | kTid | kTime | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                           PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = 0b1'1000'1000;
  attributes.sample_stack_user = 16;
  const auto bytes = std::as_bytes(std::span(&attributes, 1));
  WrittenEvent event{.name = "dummy", .attributes = {bytes.begin(), bytes.end()}, .ids = {77}};
  const std::vector<std::uint64_t> chain{kUserMark, 0x1234, 0x5678};
  const std::vector<std::uint64_t> registers{0x7ff0, 0x1234};
  const std::vector<std::byte> stack(24, std::byte{5});
  Sample sample;
  sample.mode = Mode::kernel;
  sample.ip = 0x1234;
  sample.pid = 7;
  sample.tid = 8;
  sample.time_ns = 900;
  sample.chain = chain;
  sample.user_abi = 2;
  sample.user_mask = 0b1'1000'0000;
  sample.user_registers = registers;
  sample.user_stack = stack;
  const std::vector<std::byte> record = encode(sample, event);
  ASSERT_GT(record.size(), sizeof(perf_event_header));

  perf_event_header header{};
  std::memcpy(&header, record.data(), sizeof header);
  EXPECT_EQ(header.size, record.size());
  const auto attr = parse_attr(event.attributes, false);
  ASSERT_TRUE(attr);
  const SampleLayout layout(*attr);
  const Bytes body = std::span(record).subspan(sizeof header);
  EXPECT_EQ(layout.id_of_sample(body, false), 77U);
  SampleParser parser;
  Sample back;
  ASSERT_TRUE(parser.parse(body, header.misc, layout, false, back));
  EXPECT_EQ(back.mode, Mode::kernel);
  EXPECT_EQ(back.ip, 0x1234U);
  EXPECT_EQ(back.pid, 7);
  EXPECT_EQ(back.tid, 8);
  EXPECT_EQ(back.time_ns, 900U);
  EXPECT_EQ(back.period, 1U);
  EXPECT_THAT(back.chain, testing::ElementsAreArray(chain));
  EXPECT_THAT(back.user_registers, testing::ElementsAre(0, 0x7ff0, 0x1234));
  EXPECT_EQ(back.user_stack.size(), 16U) << "as the event has it";

  attributes.sample_type |= PERF_SAMPLE_RAW;
  std::memcpy(event.attributes.data(), &attributes, sizeof attributes);
  EXPECT_THAT(encode(sample, event), testing::IsEmpty()) << "no such field is known";
}

TEST_F(Written, AppendedRecordsAreReadEvenIfTheRecordingIsNotFinished) {
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer && writer->start(events));
  EXPECT_EQ(perf_format::read_back(content(path)).error, "") << "before the first sample";
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(append(*writer, bytes_of(sample(11, 0x7000, i))));
    EXPECT_EQ(perf_format::read_back(content(path)).all<Sample>().size(), i);
  }
  EXPECT_EQ(writer->size(), content(path).size());
}

TEST_F(Written, ARecorderThatIsKilledBeforeItsFirstRecordLeavesAnEmptyRecording) {
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer);
  Description written;
  written.host = "pi";
  written.cpu = "ARM1176";
  writer->set_preliminary_features(written, events);
  ASSERT_TRUE(writer->start(events) && writer->append({}));
  const auto back = perf_format::read_back(content(path));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.description.cpu, "ARM1176");
  EXPECT_FALSE(back.description.unfinished);
  EXPECT_EQ(back.tally.records, 0U);
}

// The pieces of one call can end within records, as the parts of a ring do. The disk is full in the
// middle of the records, at their end, or in the features behind them.
TEST_F(Written, OnAFullDiskTheWholeRecordsThatFitAreKept) {
  Description described;
  described.host = "pi";
  std::string records;
  for (std::uint64_t i = 1; i <= 100; ++i) records += sample(11, 0x7000, i);
  const std::vector<std::byte> all = bytes_of(records);
  const std::size_t each = all.size() / 100;
  const std::array pieces{std::span(all).first(10 * each + 3),
                          std::span(all).subspan(10 * each + 3)};
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  for (const std::size_t room : {40 * each + each / 2, 100 * each, 100 * each + 3}) {
    auto writer = Writer::create(path);
    ASSERT_TRUE(writer);
    writer->set_preliminary_features(described, events);
    ASSERT_TRUE(writer->start(events));
    const rlimit full{.rlim_cur = writer->size() + room, .rlim_max = before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
    const auto written = writer->append(pieces);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, EFBIG);
    EXPECT_THAT(written.error().remedy, HasSubstr("tacho can read the records before the error"));
    const auto back = perf_format::read_back(content(path));
    EXPECT_EQ(back.error, "");
    EXPECT_EQ(back.description.host, "pi") << "takes the place of the last records";
    EXPECT_GT(back.all<Sample>().size() * each, room - 30 * each);
    EXPECT_LT(back.all<Sample>().size() * each, room);
    EXPECT_EQ(writer->appended(), back.all<Sample>().size() * each);
  }
  ::signal(SIGXFSZ, SIG_DFL);
}

// perf record sets the bits of its features before it writes any, so records follow the header.
TEST_F(Written, BitsOfFeaturesAloneDoNotMakeARecordingEmpty) {
  constexpr std::size_t kDataSize = 48, kFeatures = 72;  // in struct perf_file_header
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer && writer->start(events));
  ASSERT_TRUE(append(*writer, bytes_of(sample(11, 0x7456, 400) + sample(12, 0x7456, 500))));
  std::string of_perf = content(path);
  of_perf.replace(kDataSize, 8, 8, '\0');
  of_perf[kFeatures] = 0x7c;
  const auto back = perf_format::read_back(of_perf);
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.description.unfinished);
  EXPECT_EQ(back.tally.samples, 2U);
}

TEST_F(Written, AnOlderRecordingIsRenamed) {
  tree.write("perf.data", "PERFILE2 older");
  auto writer = Writer::create(path);
  ASSERT_TRUE(writer);
  EXPECT_EQ(content(path), "PERFILE2 older") << "until the new one begins";
  ASSERT_TRUE(writer->start(events));
  EXPECT_EQ(content(path + ".old"), "PERFILE2 older");
  EXPECT_EQ(content(path).substr(0, 8), "PERFILE2");
}

TEST_F(Written, AFileThatIsNoRecordingIsRefused) {
  for (const std::string other : {"int main;", "PERF", "PERFILE3 and more"}) {
    tree.write("perf.data", other);
    const auto writer = Writer::create(path);
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().what, HasSubstr("it is a file that is not a recording"));
    EXPECT_EQ(content(path), other);
  }
  tree.write("perf.data", "");
  EXPECT_TRUE(Writer::create(path)) << "an empty file has nothing to lose";
}

TEST_F(Written, APathThatIsNoRegularFileIsRefused) {
  EXPECT_THAT(Writer::create("/dev/null").error().what, HasSubstr("'/dev/null': it is not a"));
  EXPECT_EQ(Writer::create(tree.path("no/such")).error().code, ENOENT);
}

TEST_F(Written, TheInventoryCountsByEventAndListsFiles) {
  inventory.note(bytes_of(sample(12, 1, 30) + sample(21, 1, 10) + sample(11, 1, 20)));
  inventory.note(bytes_of(perf_format::record(kHere, 2, 0, Packed(kHere).u64(11).u64(5).str()) +
                          perf_format::record(kHere, 13, 0, Packed(kHere).u64(2).str()) +
                          perf_format::record(kHere, 5, 0, Packed(kHere).u64(0).str())));
  inventory.note(encode(library(), trailer_of(events)));
  inventory.note(encode(library(), trailer_of(events)));
  EXPECT_THAT(inventory.samples(), testing::ElementsAre(2, 1));
  EXPECT_EQ(inventory.lost(), 7U) << "5 records and 2 samples";
  EXPECT_EQ(inventory.throttled(), 1U);
  EXPECT_EQ(inventory.first_sample_ns(), 10U);
  EXPECT_EQ(inventory.last_sample_ns(), 30U);
  ASSERT_EQ(inventory.files().size(), 1U) << "the same file twice";
  EXPECT_EQ(inventory.files().begin()->path, library().path);
  EXPECT_EQ(inventory.files().begin()->id, library().build_id);
}

}  // namespace
}  // namespace tacho::perfdata::TEST_FILE
