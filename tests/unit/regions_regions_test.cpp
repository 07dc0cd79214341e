// Regions of several processes, put together.
#include <gtest/gtest.h>

#include "regions/regions.hpp"

namespace tacho::TEST_FILE {
namespace {

RegionQuantity quantity(std::string name, std::uint64_t executions, double total, double least) {
  RegionQuantity made;
  made.name = std::move(name);
  made.executions = executions;
  made.total = total;
  made.mean = total / static_cast<double>(executions);
  made.median = made.p99 = made.mean;
  made.minimum = made.maximum = least;
  made.ci95 = 0;
  made.share = 1;
  made.cost = 10;
  return made;
}

RegionProcess process(std::string program, std::string region, std::vector<RegionQuantity> all) {
  RegionSummary summary;
  summary.name = std::move(region);
  summary.program = program;
  summary.threads = 2;
  summary.executions = all.front().executions;
  summary.quantities = std::move(all);
  RegionProcess made;
  made.program = std::move(program);
  made.regions.push_back(std::move(summary));
  return made;
}

TEST(AnalysisRegions, OfOneProcessStayAsTheyAre) {
  const auto all = together(std::vector{process("a", "x", {quantity("ticks", 4, 100, 20)})});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].processes, 1U);
  EXPECT_EQ(all[0].quantities[0].median, 25);
}

TEST(AnalysisRegions, OfOneNameAndProgramAddUp) {
  const auto all = together(std::vector{process("a", "x", {quantity("ticks", 1, 100, 100)}),
                                        process("b", "x", {quantity("ticks", 5, 50, 5)}),
                                        process("a", "x", {quantity("ticks", 3, 60, 10)})});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].processes, 2U);
  EXPECT_EQ(all[0].threads, 4U);
  EXPECT_EQ(all[0].executions, 4U);
  const RegionQuantity& ticks = all[0].quantities[0];
  EXPECT_EQ(ticks.executions, 4U);
  EXPECT_EQ(ticks.total, 160);
  EXPECT_EQ(ticks.mean, 40);
  EXPECT_EQ(ticks.minimum, 10);
  EXPECT_EQ(ticks.maximum, 100);
  EXPECT_EQ(ticks.cost, 10);
  EXPECT_FALSE(ticks.median) << "no one can tell it from two medians without the values";
  EXPECT_EQ(all[1].program, "b");
}

TEST(AnalysisRegions, QuantilesOfSeveralProcessesAreThoseOfAllTheirValues) {
  // Buckets below 128 hold one value each.
  RegionQuantity small = quantity("ticks", 3, 60, 10);
  small.values = *caliper::Distribution::parse("20 1 10 2");  // 20, 30, 30
  small.maximum = 20;
  RegionQuantity large = quantity("ticks", 4, 400, 90);
  large.values = *caliper::Distribution::parse("100 3 20 1");  // 100, 100, 100, 120
  large.maximum = 110;
  const auto all = together(std::vector{process("a", "x", {small}), process("a", "x", {large})});
  EXPECT_EQ(all[0].quantities[0].median, 100 - 10) << "without the cost";
  EXPECT_EQ(all[0].quantities[0].p99, 120 - 10);
}

TEST(AnalysisRegions, TheLongestProcessIsNamed) {
  std::vector<RegionProcess> processes;
  for (const auto& [name, time] :
       {std::pair{"rank 0", 100.0}, {"rank 1", 300.0}, {"rank 2", 50.0}}) {
    processes.push_back(process("a", "x", {quantity("ticks", 1, time, time)}));
    processes.back().regions[0].spread = {.minimum = time, .maximum = time, .longest = name};
  }
  const auto all = together(processes);
  EXPECT_EQ(all[0].spread.minimum, 50);
  EXPECT_EQ(all[0].spread.maximum, 300);
  EXPECT_EQ(all[0].spread.longest, "rank 1");
}

TEST(AnalysisRegions, WhatOneProcessDidNotCountHasNoTotal) {
  RegionQuantity refused;
  refused.name = "cycles";
  refused.reason = "forbidden";
  const auto all = together(std::vector{
      process("a", "x", {quantity("ticks", 1, 10, 10), quantity("cycles", 1, 7, 7)}),
      process("a", "x", {quantity("ticks", 1, 10, 10), refused, quantity("faults", 1, 2, 2)})});
  ASSERT_EQ(all[0].quantities.size(), 3U);
  EXPECT_FALSE(all[0].quantities[1].total);
  EXPECT_EQ(all[0].quantities[1].reason, "forbidden");
  EXPECT_EQ(all[0].quantities[1].executions, 1U) << "those that were counted";
  EXPECT_EQ(all[0].quantities[1].mean, 7);
  EXPECT_EQ(all[0].quantities[1].share, 0.5) << "of the time of both";
  EXPECT_FALSE(all[0].quantities[2].total);
  EXPECT_EQ(all[0].quantities[2].reason, "not all processes asked for it");
}

TEST(AnalysisRegions, IntervalsOfEstimatesAddUpAsIndependentOnes) {
  RegionQuantity three = quantity("cycles", 1, 100, 100);
  three.estimated = true;
  three.ci95 = 3;
  RegionQuantity four = three;
  four.ci95 = 4;
  RegionQuantity unknown = three;
  unknown.ci95.reset();
  const RegionQuantity ticks = quantity("ticks", 1, 10, 10);
  auto all =
      together(std::vector{process("a", "x", {ticks, three}), process("a", "x", {ticks, four})});
  EXPECT_TRUE(all[0].quantities[1].estimated);
  EXPECT_EQ(all[0].quantities[1].ci95, 5);
  EXPECT_EQ(all[0].quantities[1].mean, 100) << "200 in two executions";
  all =
      together(std::vector{process("a", "x", {ticks, three}), process("a", "x", {ticks, unknown})});
  EXPECT_FALSE(all[0].quantities[1].ci95);
}

}  // namespace
}  // namespace tacho::TEST_FILE
