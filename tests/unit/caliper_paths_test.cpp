// Trees of regions: which node an execution belongs to, what is left out, and trees put together.
#include "caliper/paths.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tacho::caliper::TEST_FILE {
namespace {

void execute(Paths& paths, std::uint32_t node, std::uint64_t ticks, std::uint64_t inner = 0) {
  paths.nodes[node].executions.add(1);
  paths.nodes[node].ticks.add(ticks);
  paths.nodes[node].inner.add(inner);
}

TEST(CaliperPaths, ARegionHasANodeBelowEachRegionAroundIt) {
  const auto paths = std::make_unique<Paths>();
  const std::uint32_t load = paths->child(0, 5);
  const std::uint32_t solve = paths->child(0, 6);
  const std::uint32_t in_load = paths->child(load, 7);
  EXPECT_EQ(paths->latest_child(0, 6), solve);
  EXPECT_EQ(paths->latest_child(0, 5), 0U) << "another one began last";
  EXPECT_EQ(paths->child(0, 5), load);
  EXPECT_EQ(paths->latest_child(0, 5), load);
  EXPECT_NE(paths->child(solve, 7), in_load);
  EXPECT_EQ(paths->child(load, 7), in_load);
}

TEST(CaliperPaths, WhatFindsNoNodeIsCountedTogether) {
  const auto paths = std::make_unique<Paths>();
  for (std::uint32_t region = 1; region <= 1022; ++region)
    EXPECT_NE(paths->child(0, region), Paths::kOthers) << region;
  const std::uint32_t none = paths->child(0, 2000);
  EXPECT_EQ(none, Paths::kOthers);
  EXPECT_EQ(paths->child(none, 1), Paths::kOthers) << "no region is shown below a wrong one";
  execute(*paths, none, 100);
  PathTotals totals;
  totals.add(*paths, 0);
  EXPECT_EQ(totals.others(), 1U);
  EXPECT_EQ(totals.nodes().size(), 1022U);
}

TEST(CaliperPaths, TreesOfThreadsAddUpByTheirNames) {
  PathTotals totals;
  for (const bool reverse : {false, true}) {
    const auto paths = std::make_unique<Paths>();
    if (reverse) execute(*paths, paths->child(paths->child(0, 9), 8), 50);
    const std::uint32_t outer = paths->child(0, 5);
    execute(*paths, paths->child(outer, 8), 100 + 10);
    execute(*paths, outer, 300 + 10, 100);
    totals.add(*paths, 10);
  }
  ASSERT_EQ(totals.nodes().size(), 4U);
  const PathTotals::Node& outer = totals.nodes()[0];
  const PathTotals::Node& inner = totals.nodes()[1];
  EXPECT_EQ(outer.region, 5U);
  EXPECT_EQ(outer.parent, 0U) << "itself: it has no parent";
  EXPECT_EQ(outer.executions, 2U);
  EXPECT_EQ(outer.ticks, 600);
  EXPECT_EQ(outer.own, 400);
  EXPECT_EQ(inner.region, 8U);
  EXPECT_EQ(inner.parent, 0U);
  EXPECT_EQ(inner.ticks, 200);
  EXPECT_EQ(totals.nodes()[3].parent, 2U);
  EXPECT_EQ(totals.nodes()[3].ticks, 40);
}

TEST(CaliperPaths, AThreadThatIsLeftOutIsCounted) {
  const auto paths = std::make_unique<Paths>();
  execute(*paths, paths->child(0, 5), 100);
  execute(*paths, paths->child(0, 6), 100);
  PathTotals totals;
  totals.leave_out(*paths);
  EXPECT_EQ(totals.others(), 2U);
  EXPECT_TRUE(totals.nodes().empty());
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
