// Regions that count ticks only. Each test has region names of its own, because all tests share the
// regions of the process.
#include "tacho/caliper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "caliper/report_file.hpp"
#include "tacho/report.hpp"
#include "tacho/tacho.h"

namespace tacho::TEST_FILE {
namespace {

[[maybe_unused]] const bool on = (regions_on(), true);

// Regions were off before, so each of these may have begun then.
std::uint64_t ends_without_begin() {
  return caliper::process_report().switched->perhaps_unmatched;
}

RegionFigures figures(std::string_view name) {
  for (const RegionFigures& region : region_report().regions)
    if (region.name == name) return region;
  return {};
}

void spin(std::uint64_t of_ticks) {
  for (const std::uint64_t begun = ticks(); ticks() - begun < of_ticks;) {
  }
}

TEST(Regions, CountTheirExecutionsAndTheirTicks) {
  const std::uint64_t begun = ordered_ticks();
  for (int i = 0; i < 100; ++i) {
    TACHO_REGION("plain");
    spin(10'000);
  }
  const auto all = static_cast<double>(ordered_ticks() - begun);
  const RegionFigures region = figures("plain");
  EXPECT_EQ(region.executions, 100U);
  EXPECT_EQ(region.threads, 1U);
  EXPECT_FALSE(region.too_short);
  const Quantity& time = region.quantities.at(0);
  EXPECT_EQ(time.name, "ticks");
  EXPECT_EQ(time.status, CountStatus::counted);
  EXPECT_LE(time.total, all);
  EXPECT_GE(time.minimum, 10'000 - 2 * time.cost);
  EXPECT_LE(time.minimum, time.median);
  EXPECT_LE(time.median, time.p99);
  EXPECT_LE(time.p99, time.maximum);
  EXPECT_LE(time.p99, time.maximum * 129 / 128);
  EXPECT_NEAR(time.mean * 100, time.total, 1);
}

TEST(Regions, AnEmptyOneIsTooShortToTrust) {
  for (int i = 0; i < 1'000; ++i) {
    TACHO_REGION("empty");
  }
  EXPECT_TRUE(figures("empty").too_short);
  EXPECT_GT(figures("empty").quantities.at(0).cost, 0);
}

TEST(Regions, WithTheSameNameAreOneRegion) {
  for (int i = 0; i < 3; ++i) {
    TACHO_REGION("twice");
  }
  {
    TACHO_REGION("twice");
  }
  EXPECT_EQ(figures("twice").executions, 4U);
}

// The cost of measuring the inner regions is subtracted from the outer one.
TEST(Regions, NestedOnesCountInTheOuterWithoutTheirCost) {
  for (int i = 0; i < 200; ++i) {
    TACHO_REGION("outer");
    for (int k = 0; k < 50; ++k) {
      TACHO_REGION("inner");
    }
    spin(2'000);
  }
  const Quantity outer = figures("outer").quantities.at(0);
  const Quantity inner = figures("inner").quantities.at(0);
  EXPECT_EQ(figures("inner").executions, 10'000U);
  // The cost of fifty regions would be outside these limits.
  EXPECT_GT(outer.median, 2'000 - 25 * inner.cost);
  EXPECT_LT(outer.median, 2'000 + 50 * inner.cost);
}

int factorial(int n) {
  TACHO_REGION("recursive");
  return n < 2 ? 1 : n * factorial(n - 1);
}

TEST(Regions, MeasureTheOutermostOfRecursiveExecutions) {
  EXPECT_EQ(factorial(5), 120);
  EXPECT_EQ(factorial(3), 6);
  EXPECT_EQ(figures("recursive").executions, 2U);
  EXPECT_EQ(figures("recursive").recursions, 6U);
}

TEST(Regions, EndWhenAnExceptionLeavesThem) {
  for (int i = 0; i < 10; ++i) {
    try {
      TACHO_REGION("thrown");
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_EQ(figures("thrown").executions, 10U);
  EXPECT_EQ(figures("thrown").unfinished, 0U);
}

TEST(Regions, AnEndWithoutABeginDoesNothing) {
  static RegionSite site("never begun");
  const std::uint64_t before = ends_without_begin();
  {
    TACHO_REGION("so that the thread has regions");
  }
  site.begin();
  site.end();
  site.end();
  EXPECT_EQ(ends_without_begin(), before + 1);
  EXPECT_EQ(figures("never begun").executions, 1U);
}

TEST(Regions, AnEndWithoutABeginIsCountedForNewSitesAndNewThreads) {
  static RegionSite never("ended and never begun");
  static RegionSite known("begun and ended elsewhere");
  known.begin();
  known.end();
  const std::uint64_t before = ends_without_begin();
  never.end();
  never.end();
  std::thread([] { known.end(); }).join();
  tacho_region_end(0);  // in C this is no region, and its end is allowed
  EXPECT_EQ(ends_without_begin(), before + 3);
}

TEST(Regions, AnEndEndsWhatIsAboveItWithoutCountingIt) {
  static RegionSite lower("lower");
  static RegionSite upper("upper");
  lower.begin();
  upper.begin();
  lower.end();
  EXPECT_EQ(figures("lower").executions, 1U);
  EXPECT_EQ(figures("upper").executions, 0U);
  EXPECT_EQ(figures("upper").unfinished, 1U);
  upper.begin();
  upper.end();
  EXPECT_EQ(figures("upper").executions, 1U);
}

void nest(int levels) {
  static std::deque<std::string> names;
  static std::deque<RegionSite> sites;
  while (sites.size() < 100)
    sites.emplace_back(names.emplace_back("level " + std::to_string(sites.size())));
  if (levels == 0) return;
  const Region region(sites[static_cast<std::size_t>(levels) - 1]);
  nest(levels - 1);
}

TEST(Regions, NestedTooDeepAreCountedAndNotMeasured) {
  const std::uint64_t before = region_report().too_deep;
  nest(70);
  EXPECT_EQ(region_report().too_deep, before + 6);
  EXPECT_EQ(figures("level 69").executions, 1U);  // the outermost
  EXPECT_EQ(figures("level 0").executions, 0U);
  nest(64);
  EXPECT_EQ(figures("level 0").executions, 1U);
}

TEST(Regions, NamesMayHaveAnyBytes) {
  static constexpr std::string_view kName("a\0\n\xff", 4);
  static RegionSite site(kName);
  {
    const Region region(site);
  }
  EXPECT_EQ(figures(kName).executions, 1U);
}

TEST(Regions, ThreadsAddUpExactlyWhileReportsAreMade) {
  constexpr std::uint64_t kThreads = 64;
  constexpr std::uint64_t kExecutions = 10'000;
  std::atomic<bool> done{false};
  std::thread reporter([&] {
    std::uint64_t last = 0;
    while (!done) {
      const std::uint64_t now = figures("in threads").executions;
      EXPECT_GE(now, last);
      last = now;
    }
  });
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i)
    threads.emplace_back([] {
      for (std::uint64_t k = 0; k < kExecutions; ++k) {
        TACHO_REGION("in threads");
        TACHO_REGION("in threads, inner");
      }
    });
  for (std::thread& thread : threads) thread.join();
  done = true;
  reporter.join();
  for (const char* name : {"in threads", "in threads, inner"}) {
    const RegionFigures region = figures(name);
    EXPECT_EQ(region.executions, kThreads * kExecutions);
    EXPECT_EQ(region.quantities.at(0).executions, kThreads * kExecutions);
    EXPECT_EQ(region.threads, kThreads);
    EXPECT_EQ(region.unfinished, 0U);
  }
}

TEST(Regions, AThreadThatEndsInsideOfOneLeavesItUnfinished) {
  static RegionSite site("left open");
  std::thread([] {
    site.begin();
    site.end();
    site.begin();
  }).join();
  EXPECT_EQ(figures("left open").executions, 1U);
  EXPECT_EQ(figures("left open").unfinished, 1U);
}

TEST(Regions, InAThreadsLastDestructorsAreMeasured) {
  const std::uint64_t before = ends_without_begin();
  struct Late {
    ~Late() { TACHO_REGION("late"); }
  };
  std::thread([] {
    thread_local Late late;
    (void)&late;
    TACHO_REGION("before late");
  }).join();
  EXPECT_EQ(figures("before late").executions, 1U);
  EXPECT_EQ(figures("late").executions, 1U);
  EXPECT_EQ(ends_without_begin(), before);
}

}  // namespace
}  // namespace tacho::TEST_FILE
