// What a region's figures are from what its executions took: made up here, as a loaded machine adds
// to what is measured.
#include "caliper/totals.hpp"

#include <gtest/gtest.h>

namespace tacho::caliper {
namespace {

constexpr OwnCost kCost = {.inside = 20, .outside = 50};

// Of twenty executions of so many ticks each, with so many others inside of each.
RegionFigures figures(std::uint64_t ticks, std::uint64_t inner) {
  Figures taken{};
  for (int i = 0; i < 20; ++i) taken.add(ticks);
  Totals totals;
  totals.ticks.add(taken, kCost, {.measured = 20 * inner, .unmeasured = 0});
  return totals.figures("made up", nullptr);
}

TEST(CaliperTotals, ARegionAroundMoreMeasuringThanWorkIsTooShortToTrust) {
  EXPECT_TRUE(figures(30'000, 1'000).too_short) << "50,000 ticks of measuring were taken off";
  EXPECT_FALSE(figures(1'000'000, 1).too_short);
  EXPECT_FALSE(figures(30'000, 500).too_short);
}

TEST(CaliperTotals, ARegionShorterThanItsOwnMeasuringIsTooShortToTrust) {
  EXPECT_TRUE(figures(30, 0).too_short);
  EXPECT_FALSE(figures(100, 0).too_short);
}

}  // namespace
}  // namespace tacho::caliper
