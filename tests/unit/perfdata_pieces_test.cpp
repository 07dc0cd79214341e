// Recordings of several files: directories of perf record --threads, and pieces of --switch-output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "events_made_up_tree.hpp"
#include "perfdata/directory_reader.hpp"
#include "perfdata/joined_reader.hpp"
#include "perfdata_builder.hpp"

namespace TEST_FILE {
namespace {

using namespace perf_format;
using tacho::MadeUpTree;
using tacho::perfdata::Reader;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Order kOrder = Order::little;
constexpr std::uint64_t kIpTime = 1 | 4, kIdentifier = 1 << 16;
constexpr std::uint64_t kHost = 3, kCommand = 11, kSampleTime = 21;  // features

std::string sample(std::uint64_t ip, std::uint64_t time) {
  return record(kOrder, 9, 2, Packed(kOrder).u64(ip).u64(time).str());
}

std::string sample_of(std::uint64_t id, std::uint64_t ip, std::uint64_t time) {
  return record(kOrder, 9, 2, Packed(kOrder).u64(id).u64(ip).u64(time).str());
}

std::map<std::uint64_t, std::string> features(const std::string& command, std::uint64_t first,
                                              std::uint64_t last) {
  return {{kHost, Packed(kOrder).counted("here").str()},
          {kCommand, Packed(kOrder).u32(1).counted(command).str()},
          {kSampleTime, Packed(kOrder).u64(first).u64(last).str()}};
}

struct Yielded {
  std::vector<std::uint64_t> ips, times;
  std::vector<std::size_t> events;
  std::string error;
};

Yielded all_of(Reader& reader) {
  Yielded found;
  for (;;) {
    const auto next = reader.next();
    if (!next) found.error = next.error().what;
    if (!next || *next == nullptr) return found;
    const auto& sample = std::get<tacho::perfdata::Sample>((*next)->what);
    found.ips.push_back(*sample.ip);
    found.times.push_back(*sample.time_ns);
    found.events.push_back(sample.event);
  }
}

class Pieces : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    tree_.write(name, bytes);
    return tree_.path() + "/" + name;
  }
  std::string piece(const std::string& name, const std::string& records, std::uint64_t first,
                    std::uint64_t last, const std::string& command = "work") {
    return write(name, file(kOrder, {{.config = 0, .sample_type = kIpTime}}, records,
                            features(command, first, last)));
  }
  MadeUpTree tree_;
};

TEST_F(Pieces, ADirectoryIsMergedByTime) {
  write("perf.data/data", file(kOrder, {{.sample_type = kIpTime}}, sample(1, 50)));
  write("perf.data/data.0", sample(2, 10) + sample(3, 40));
  write("perf.data/data.1", sample(4, 20) + sample(5, 60));
  write("perf.data/data.3", sample(6, 70));  // does not belong to it: there is no data.2
  const auto reader = tacho::perfdata::open_file_or_directory(tree_.path() + "/perf.data");
  ASSERT_TRUE(reader) << reader.error().what;
  const Yielded found = all_of(**reader);
  EXPECT_EQ(found.error, "");
  EXPECT_THAT(found.ips, ElementsAre(2, 4, 3, 1, 5));
  EXPECT_EQ((*reader)->tally().samples, 5U);
}

TEST_F(Pieces, ADirectoryWithOneFileIsThatFile) {
  write("perf.data/data", file(kOrder, {{.sample_type = kIpTime}}, sample(1, 50)));
  write("perf.data/kcore_dir/kallsyms", "");
  const auto reader = tacho::perfdata::open_file_or_directory(tree_.path() + "/perf.data");
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_THAT(all_of(**reader).ips, ElementsAre(1));
}

TEST_F(Pieces, DamageInOneFileLeavesTheOthersWhole) {
  write("perf.data/data", file(kOrder, {{.sample_type = kIpTime}}, sample(1, 50)));
  write("perf.data/data.0", sample(2, 10) + sample(3, 40).substr(0, 12));
  write("perf.data/data.1", sample(4, 20));
  const auto reader = tacho::perfdata::open_file_or_directory(tree_.path() + "/perf.data");
  ASSERT_TRUE(reader) << reader.error().what;
  const Yielded found = all_of(**reader);
  EXPECT_THAT(found.ips, ElementsAre(2, 4, 1));
  EXPECT_THAT(found.error, HasSubstr("data.0' is damaged at byte 24"));
}

// Readers of samples use the number of an event as an index.
TEST_F(Pieces, AFileOfADirectoryMayDescribeEventsOfItsOwn) {
  const auto event = [](std::uint64_t id) {
    return Attr{.sample_type = kIdentifier | kIpTime, .ids = {id}};
  };
  write("perf.data/data", file(kOrder, {event(1)}, sample_of(1, 1, 50)));
  const std::string more = record(
      kOrder, 64, 0, to_bytes(event(2), kOrder) + Packed(kOrder).u64(std::uint64_t{2}).str());
  write("perf.data/data.0", more + sample_of(2, 2, 10));
  const auto reader = tacho::perfdata::open_file_or_directory(tree_.path() + "/perf.data");
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_THAT(all_of(**reader).events, ElementsAre(1, 0));
  EXPECT_EQ((*reader)->description().events.size(), 2U);
}

TEST_F(Pieces, AreReadInTheOrderOfTheirTimes) {
  const std::string late = piece("a", sample(3, 300), 300, 300);
  const std::string early = piece("b", sample(1, 100) + sample(2, 200), 100, 200);
  const auto reader = tacho::perfdata::open_joined({late, early});
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ((*reader)->description().pieces, 2U);
  EXPECT_EQ((*reader)->description().first_sample_ns, 100U);
  EXPECT_EQ((*reader)->description().last_sample_ns, 300U);
  EXPECT_EQ((*reader)->description().events.size(), 1U);
  EXPECT_THAT(all_of(**reader).times, ElementsAre(100, 200, 300));
  EXPECT_EQ((*reader)->tally().samples, 3U);
}

// The ids of events, and their order, may differ from piece to piece.
TEST_F(Pieces, EventsAreThoseOfEqualNameAndKind) {
  const std::vector<Attr> first{{.config = 0, .sample_type = kIpTime | kIdentifier, .ids = {7}},
                                {.config = 1, .sample_type = kIpTime | kIdentifier, .ids = {8}}};
  const std::vector<Attr> second{{.config = 1, .sample_type = kIpTime | kIdentifier, .ids = {1}},
                                 {.config = 0, .sample_type = kIpTime | kIdentifier, .ids = {2}},
                                 {.config = 4, .sample_type = kIpTime | kIdentifier, .ids = {3}}};
  const std::string a = write(
      "a", file(kOrder, first, sample_of(7, 10, 1) + sample_of(8, 11, 2), features("work", 1, 2)));
  const std::string b = write(
      "b", file(kOrder, second, sample_of(1, 21, 3) + sample_of(2, 20, 4) + sample_of(3, 24, 5),
                features("work", 3, 5)));
  const auto reader = tacho::perfdata::open_joined({a, b});
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_EQ((*reader)->description().events.size(), 3U);
  EXPECT_EQ((*reader)->description().events[2].name, "branches");
  EXPECT_THAT(all_of(**reader).events, ElementsAre(0, 1, 1, 0, 2));
}

TEST_F(Pieces, OfDifferentCommandsAreRefused) {
  const std::string a = piece("a", sample(1, 1), 1, 1);
  const std::string b = piece("b", sample(1, 2), 2, 2, "other");
  const auto reader = tacho::perfdata::open_joined({a, b});
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().what, HasSubstr("are no pieces of one recording"));
  EXPECT_THAT(reader.error().remedy, HasSubstr("--compare"));
}

}  // namespace
}  // namespace TEST_FILE
