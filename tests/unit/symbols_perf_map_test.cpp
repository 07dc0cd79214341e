#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "base/latest_ranges.hpp"
#include "events_made_up_tree.hpp"
#include "symbols/kallsyms_and_perf_map.hpp"

namespace tacho::symbols::TEST_FILE {
namespace {

using testing::HasSubstr;

std::string name_at(const OwnedTable& map, std::uint64_t address) {
  const Function* function = map.functions.at(address);
  return function == nullptr ? "" : std::string(function->name);
}

TEST(SymbolsPerfMap, ALaterLineHoldsWhereItCoversAnEarlierOne) {
  const OwnedTable map = parse_perf_map(
      "1000 40 gone_and_longer_name\n1000 40 same\n"
      "1100 100 larger\n1140 40 within\n"
      "1240 20 smaller\n1200 100 over\n"
      "1300 40 left\n1320 40 right\n"
      "1420 40 old_right\n1400 40 new_left\n"
      "1500 0 empty\nfffffffffffffff0 20 beyond\n");
  for (const std::uint64_t address : {0x1000U, 0x103fU}) EXPECT_EQ(name_at(map, address), "same");
  EXPECT_EQ(name_at(map, 0x1040), "");
  EXPECT_EQ(name_at(map, 0x113f), "larger");
  EXPECT_EQ(name_at(map, 0x1140), "within");
  EXPECT_EQ(name_at(map, 0x117f), "within");
  EXPECT_EQ(name_at(map, 0x1180), "larger");
  EXPECT_EQ(map.functions.at(0x113f), map.functions.at(0x1180)) << "one function in two pieces";
  for (const std::uint64_t address : {0x1200U, 0x1240U, 0x1260U, 0x12ffU})
    EXPECT_EQ(name_at(map, address), "over");
  EXPECT_EQ(name_at(map, 0x131f), "left");
  EXPECT_EQ(name_at(map, 0x1320), "right");
  EXPECT_EQ(name_at(map, 0x135f), "right");
  EXPECT_EQ(name_at(map, 0x143f), "new_left");
  EXPECT_EQ(name_at(map, 0x1440), "old_right");
  EXPECT_EQ(name_at(map, 0x1500), "");
  EXPECT_EQ(name_at(map, 0xfffffffffffffff8), "");
}

// Against an array that has the last value of each address.
TEST(SymbolsPerfMap, RandomRangesAgreeWithTheLastValueOfEachAddress) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> expected(200, -1);
    LatestRanges<int> ranges;
    for (int value = 0; value < 40; ++value) {
      const std::size_t start = random() % 190;
      const std::size_t end = std::min<std::size_t>(200, start + random() % 40);
      ranges.put(start, end, value);
      for (std::size_t i = start; i < end; ++i) expected[i] = value;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const int* found = ranges.at(i);
      ASSERT_EQ(found == nullptr ? -1 : *found, expected[i]) << round << " " << i;
    }
  }
}

TEST(SymbolsPerfMap, OnlyARegularFileIsRead) {
  const MadeUpTree tree;
  tree.write("target", "1000 10 f\n");
  ASSERT_EQ(::symlink(tree.path("target").c_str(), tree.path("perf-1.map").c_str()), 0);
  ASSERT_EQ(::mkfifo(tree.path("perf-2.map").c_str(), 0600), 0);
  const auto link = read_perf_map(tree.path("perf-1.map"));
  ASSERT_FALSE(link);
  EXPECT_THAT(link.error().what, HasSubstr("symbolic link"));
  const auto fifo = read_perf_map(tree.path("perf-2.map"));
  ASSERT_FALSE(fifo) << "and does not wait for a writer";
  EXPECT_THAT(fifo.error().what, HasSubstr("regular file"));
}

// A container's /tmp may be a link. It must not lead to a directory of this machine.
TEST(SymbolsPerfMap, ALinkInAContainerLeadsToAPlaceInTheContainer) {
  const MadeUpTree tree;
  tree.write("root/elsewhere/perf-1.map", "1000 10 inside\n");
  ASSERT_EQ(::symlink("/elsewhere", tree.path("root/tmp").c_str()), 0);
  const auto map = read_perf_map("/tmp/perf-1.map", tree.path("root"));
  if (!map && map.error().code == ENOENT) GTEST_SKIP() << "no openat2 here: " << map.error().what;
  ASSERT_TRUE(map) << map.error().what;
  EXPECT_EQ(name_at(*map, 0x1000), "inside");
}

}  // namespace
}  // namespace tacho::symbols::TEST_FILE
