// What programs tell of their regions, read by tacho.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "regions/region_lines.hpp"

namespace tacho::TEST_FILE {
namespace {

TEST(RegionLines, WhatIsNoSuchLineIsCountedAndLeftOut) {
  const Regions regions = read_regions(
      "{\"pid\":7,\"program\":\"p\",\"clock\":{\"hz\":1e9},\"regions\":[{\"name\":\"r\"}]}\n"
      "{\"regions\":[]}\n"
      "{\"clock\":{\"hz\":1e9},\"regions\":[{\"executions\":1}]}\n"
      "[[[[[[\n"
      "{\"pid\":8,\"clock\":{\"hz\":1e9},\"regions\":[]}");
  ASSERT_EQ(regions.processes.size(), 1U);
  EXPECT_EQ(regions.processes[0].pid, 7);
  EXPECT_EQ(regions.processes[0].regions[0].name, "r");
  EXPECT_EQ(regions.unreadable, 4U) << "the last has no end: it was cut off";
  EXPECT_TRUE(read_regions("").processes.empty());
}

TEST(RegionLines, DeepNestingIsNoDanger) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(read_regions(deep + "\n").unreadable, 1U);
  const std::string closed =
      "{\"clock\":{\"hz\":1},\"regions\":" + deep + std::string(100'000, ']') + "}\n";
  EXPECT_EQ(read_regions(closed).unreadable, 1U);
}

std::string line_of(const std::string& regions) {
  return "{\"clock\":{\"hz\":1e9},\"regions\":[" + regions + "]}\n";
}

std::string repeated(const std::string& text, int times, const std::string& between = ",") {
  std::string all = text;
  for (int i = 1; i < times; ++i) all += between + text;
  return all;
}

TEST(RegionLines, OneLineWithVeryManyValuesIsLeftOut) {
  const Regions regions =
      read_regions(line_of("{\"name\":\"r\",\"x\":[" + repeated("0", 1'200'000) + "]}") +
                   line_of(R"({"name":"after \" [ { ,"})"));
  EXPECT_EQ(regions.unreadable, 1U);
  ASSERT_EQ(regions.processes.size(), 1U);
  EXPECT_EQ(regions.processes[0].regions[0].name, "after \" [ { ,");
  EXPECT_FALSE(regions.cut);
}

TEST(RegionLines, ARegionKeepsAsManyQuantitiesAsACoreHasEvents) {
  const auto with = [](int quantities) {
    return read_regions(line_of("{\"name\":\"r\",\"quantities\":[" +
                                repeated("{\"name\":\"q\"}", quantities) + "]}"));
  };
  EXPECT_FALSE(with(256).cut);
  EXPECT_EQ(with(256).processes[0].regions[0].quantities.size(), 256U);
  EXPECT_TRUE(with(257).cut);
  EXPECT_EQ(with(257).processes[0].regions[0].quantities.size(), 256U);
}

// 20,000 processes with the same ten regions are more figures than are kept, but not when they are
// added up.
TEST(RegionLines, RegionsOfVeryManyProcessesAreAddedUp) {
  std::string ten;
  for (int i = 0; i < 10; ++i)
    ten += (i > 0 ? "," : "") + std::string("{\"name\":\"r") + std::to_string(i) +
           "\",\"executions\":1}";
  const Regions regions = read_regions(repeated(line_of(ten), 20'000, ""));
  EXPECT_FALSE(regions.cut);
  EXPECT_EQ(regions.processes.size(), 20'000U);
  const std::vector<RegionSummary> all = together(regions.processes);
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all[9].executions, 20'000U);
  EXPECT_EQ(all[9].processes, 20'000U);
}

TEST(RegionLines, VeryManyDifferentRegionsAreCut) {
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += line_of("{\"name\":\"r" + std::to_string(i) + "\"}");
  const Regions regions = read_regions(lines);
  EXPECT_TRUE(regions.cut);
  EXPECT_EQ(regions.unreadable, 0U);
  EXPECT_GT(together(regions.processes).size(), 30'000U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
