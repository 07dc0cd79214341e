// The figures of a region from the durations of its executions. The durations are invented, because
// a loaded machine would lengthen measured ones.
#include "caliper/totals.hpp"

#include <gtest/gtest.h>

namespace tacho::caliper {
namespace {

constexpr OwnCost kCost = {.inside = 20, .outside = 50};

// Twenty executions that take `ticks` each, with `inner` executions inside each.
RegionFigures figures(std::uint64_t ticks, std::uint64_t inner) {
  Figures taken{};
  for (int i = 0; i < 20; ++i) taken.add(ticks);
  Totals totals;
  totals.ticks.add(taken, kCost, {.measured = 20 * inner, .unmeasured = 0});
  return totals.figures("made up", nullptr);
}

TEST(CaliperTotals, ARegionAroundMoreMeasuringThanWorkIsTooShortToTrust) {
  EXPECT_TRUE(figures(30'000, 1'000).too_short) << "50,000 ticks were subtracted";
  EXPECT_FALSE(figures(1'000'000, 1).too_short);
  EXPECT_FALSE(figures(30'000, 500).too_short);
}

TEST(CaliperTotals, ARegionShorterThanItsOwnMeasuringIsTooShortToTrust) {
  EXPECT_TRUE(figures(30, 0).too_short);
  EXPECT_FALSE(figures(100, 0).too_short);
}

}  // namespace
}  // namespace tacho::caliper
