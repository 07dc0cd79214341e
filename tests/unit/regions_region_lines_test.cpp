// What programs tell of their regions, read by tacho.
#include <gtest/gtest.h>

#include "regions/region_lines.hpp"

namespace tacho {
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

}  // namespace
}  // namespace tacho
