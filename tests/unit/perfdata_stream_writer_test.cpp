// Reads streams back with the reader, and the sections of files that describe branch stacks, the
// machine and tracepoints byte by byte.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "events_made_up_tree.hpp"
#include "perfdata/encode_features.hpp"
#include "perfdata/encode_records.hpp"
#include "perfdata/stream_writer.hpp"
#include "perfdata/tracing_data.hpp"
#include "perfdata_builder.hpp"

namespace tacho::perfdata::TEST_FILE {
namespace {

using perf_format::Attr;
using perf_format::Order;
using perf_format::Packed;

constexpr std::uint64_t kIdentifierIpTidTime = 1U << 16U | 7;
constexpr std::uint64_t kBranchStack = 1U << 11U;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<WrittenEvent> events(std::uint64_t sample_type, std::vector<std::uint64_t> ids = {11}) {
  const Attr attr{.type = 1, .size = 128, .period = 250'000, .sample_type = sample_type};
  return {{"some clock", bytes_of(to_bytes(attr, Order::little)), std::move(ids)},
          {"page-faults", bytes_of(to_bytes(attr, Order::little)), {21}}};
}

// The bytes of the section; "none" if there is none.
std::string section(const Description& description, std::span<const WrittenEvent> events,
                    std::size_t bit) {
  for (const FeatureSection& feature : encode_features(description, events))
    if (feature.bit == bit) return text_of(feature.bytes);
  return "none";
}

struct Streamed : testing::Test {
  MadeUpTree tree;
  std::string path = tree.path("stream");

  StreamWriter writer() const {
    return {Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), "the stream"};
  }
  perf_format::ReadBack read() const {
    std::ifstream file(path, std::ios::binary);
    return perf_format::read_back(std::string(std::istreambuf_iterator<char>(file), {}));
  }
};

TEST_F(Streamed, EventsRecordsAndDescriptionAreReadBack) {
  const std::vector<WrittenEvent> all = events(kIdentifierIpTidTime);
  StreamWriter out = writer();
  Description early;
  early.host = "pi";
  early.command = {"tacho", "record"};
  early.tracing_data = bytes_of("nothing of the kind");
  out.set_preliminary_features(early, all);
  ASSERT_TRUE(out.start(all));
  const auto sample = bytes_of(perf_format::record(
      Order::little, 9, 2, Packed(Order::little).u64(21).u64(0x7000).u64(0).u64(5).str()));
  const std::span<const std::byte> piece = sample;
  ASSERT_TRUE(out.append({&piece, 1}));
  Description late = early;
  late.cpu = "ARM1176";
  late.build_ids = {
      {.pid = -1, .mode = Mode::user, .id = {.bytes = {0xab}, .size = 1}, .path = "/x"}};
  ASSERT_TRUE(out.finish(late, all));

  const auto back = read();
  EXPECT_EQ(back.error, "");
  EXPECT_TRUE(back.description.pipe);
  ASSERT_EQ(back.description.events.size(), 2U);
  EXPECT_EQ(back.description.events[0].name, "some clock");
  EXPECT_EQ(back.description.host, "pi");
  EXPECT_EQ(back.description.cpu, "ARM1176") << "known at the end only";
  EXPECT_EQ(back.description.command, early.command);
  ASSERT_EQ(back.description.build_ids.size(), 1U);
  EXPECT_EQ(back.description.build_ids[0].path, "/x");
  ASSERT_EQ(back.all<Sample>().size(), 1U);
  EXPECT_EQ(back.all<Sample>()[0].event, 1U);
  EXPECT_EQ(back.tally.damaged_features, 0U);
  EXPECT_EQ(back.tally.trace_bytes, 24U) << "19 bytes, padded to a multiple of 8";
}

TEST_F(Streamed, AReaderThatHasGoneIsAnError) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  StreamWriter out(Fd(ends[1]), "the stream");
  const auto started = out.start(events(kIdentifierIpTidTime));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, EPIPE);
  EXPECT_EQ(out.size(), 0U);
}

TEST_F(Streamed, AnEventOfTooManyThreadsForARecordIsRefused) {
  StreamWriter out = writer();
  const auto started = out.start(events(kIdentifierIpTidTime, std::vector<std::uint64_t>(9'000)));
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().remedy, testing::HasSubstr("-o FILE"));
}

constexpr std::size_t kTracingData = 1, kNuma = 14, kBranches = 15, kPmus = 16, kCache = 20;

TEST(Features, BranchStacksAreStatedIfSamplesHaveThem) {
  EXPECT_EQ(section({}, events(kIdentifierIpTidTime), kBranches), "none");
  EXPECT_EQ(section({}, events(kIdentifierIpTidTime | kBranchStack), kBranches), "");
}

TEST(Features, MemoryNodesCachesAndPmusHaveTheirLayout) {
  Description description;
  description.memory_nodes = {{.node = 3, .total_kb = 4096, .free_kb = 512, .cpus = "0-1"}};
  description.caches = {
      {.level = 1, .line = 64, .sets = 128, .ways = 4, .type = "Data", .size = "32K", .cpus = "0"}};
  description.pmus = {{.type = 1, .name = "software"}};
  const auto counted = [](std::string text) {
    const std::string padded = text + std::string(64 - text.size(), '\0');
    return Packed(Order::little).u32(64).bytes(padded).str();
  };
  EXPECT_EQ(section(description, {}, kNuma),
            Packed(Order::little).u32(1).u32(3).u64(4096).u64(512).bytes(counted("0-1")).str());
  EXPECT_EQ(section(description, {}, kCache),
            Packed(Order::little).u32(1).u32(1).u32(1).u32(64).u32(128).u32(4).str() +
                counted("Data") + counted("32K") + counted("0"));
  EXPECT_EQ(section(description, {}, kPmus),
            Packed(Order::little).u32(1).u32(1).str() + counted("software"));
}

// trace-cmd.dat.v6(5), with two systems.
TEST(Features, TracingDataHasTheFormatsOfItsTracepoints) {
  using namespace std::string_literals;
  Description description;
  EXPECT_EQ(section(description, {}, kTracingData), "none");
  description.tracing_data = encode_tracing_data(
      {.header_page = "page",
       .header_event = "event",
       .tracepoints = {{"sched", "switch"}, {"irq", "entry"}, {"sched", "waking"}}});
  const auto file = [](std::string_view text) {
    return Packed(Order::little).u64(text.size()).bytes(text).str();
  };
  const auto number = [](std::uint64_t value) { return Packed(Order::little).u32(value).str(); };
  const std::string expected = "\x17\x08\x44tracing0.6\0\0"s + static_cast<char>(sizeof(long)) +
                               number(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) +
                               "header_page\0"s + file("page") + "header_event\0"s + file("event") +
                               number(0) + number(2) + "irq\0"s + number(1) + file("entry") +
                               "sched\0"s + number(2) + file("switch") + file("waking") +
                               number(0) + number(0) + number(0) + number(0);
  EXPECT_EQ(section(description, {}, kTracingData), expected);
}

}  // namespace
}  // namespace tacho::perfdata::TEST_FILE
