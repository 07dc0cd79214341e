// The peaks of histograms: mixtures with known humps, and noise without humps.
#include "stats/modes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace tacho::TEST_FILE {
namespace {

using ::testing::IsEmpty;
using Bin = Histogram::Bin;

Histogram of(std::initializer_list<Bin> bins) {
  Histogram h;
  for (const Bin& bin : bins) h.add(bin.value, bin.count);
  return h;
}

struct Hump {
  double middle, sigma;
  int count;
};

Histogram drawn(std::mt19937_64& random, std::initializer_list<Hump> humps) {
  Histogram h;
  for (const Hump& hump : humps) {
    std::normal_distribution<> value(hump.middle, hump.sigma);
    for (int i = 0; i < hump.count; ++i)
      h.add(static_cast<std::uint64_t>(std::max(1L, std::lround(value(random)))));
  }
  return h;
}

TEST(Modes, TwoTopsAreTwoPeaksWhenTheValleyIsDeep) {
  const auto found = modes(of({{90, 20}, {100, 300}, {110, 20}, {190, 30}, {200, 600}, {210, 30}}));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].middle, 100);
  EXPECT_EQ(found[0].count, 340U);
  EXPECT_DOUBLE_EQ(found[0].share, 0.34);
  EXPECT_EQ(found[1].middle, 200);
  EXPECT_DOUBLE_EQ(found[1].share, 0.66);
}

TEST(Modes, RareValuesAreNoPeak) {
  EXPECT_EQ(modes(of({{50, 970}, {400, 30}})).size(), 1U);
  EXPECT_EQ(modes(of({{50, 970}, {400, 30}}), 0.02).size(), 2U);
  EXPECT_THAT(modes({}), IsEmpty());
}

TEST(Modes, FewValuesAreNoPeak) {
  EXPECT_EQ(modes(of({{32, 100}, {300, 5}})).size(), 1U);
  EXPECT_EQ(modes(of({{32, 1}})).size(), 1U);
  EXPECT_EQ(modes(of({{1, 1}, {100, 1}, {200, 1}, {300, 1}})).size(), 1U);
}

TEST(Modes, NoiseOnOnePeakMakesNoSecond) {
  std::mt19937_64 random(2);
  int wrong = 0;
  for (int run = 0; run < 100; ++run)
    for (const int count : {30, 300, 3000}) {
      wrong += modes(drawn(random, {{400, 15, count}})).size() != 1;
      wrong += modes(drawn(random, {{300, 80, count}})).size() != 1;
      wrong += modes(drawn(random, {{32, 4, count}})).size() != 1;
    }
  EXPECT_LE(wrong, 900 * 5 / 100);
}

// Flat and falling histograms have no peak, but many places where noise may make one.
TEST(Modes, NoiseWithoutAnyPeakMakesNone) {
  std::mt19937_64 random(3);
  int wrong = 0, runs = 0;
  for (int run = 0; run < 200; ++run)
    for (const int count : {50, 200, 1000, 5000}) {
      std::uniform_int_distribution<std::uint64_t> level(30, 400);
      std::exponential_distribution<> tail(1 / 120.0);
      Histogram flat, falling;
      for (int i = 0; i < count; ++i) {
        flat.add(level(random));
        falling.add(32 + static_cast<std::uint64_t>(tail(random)));
      }
      wrong += modes(flat, 0).size() != 1;
      wrong += modes(falling, 0).size() != 1;
      runs += 2;
    }
  EXPECT_LE(wrong, runs * 5 / 100);
}

// A spike of cache hits, a hump of the last cache, one of memory, and a tail of interrupts.
TEST(Modes, ThreeHumpsAreFoundWithTheirSharesAndPlaces) {
  std::mt19937_64 random(4);
  int found_all = 0, shares_held = 0, places_held = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    Histogram h = drawn(random, {{80, 6, 800}, {290, 25, 900}});
    h.add(32, 290);
    for (const std::uint64_t late :
         {900U, 1500U, 2200U, 4000U, 5000U, 7000U, 9000U, 20000U, 40000U})
      h.add(late);
    const auto found = modes(h);
    if (found.size() != 3) continue;
    ++found_all;
    EXPECT_NEAR(static_cast<double>(found[0].count), 290, 3);
    EXPECT_EQ(found[0].middle, 32);
    shares_held += found[1].share95.low <= 0.4 && 0.4 <= found[1].share95.high;
    for (const auto& [mode, truth] : {std::pair{found[1], 80.0}, std::pair{found[2], 290.0}}) {
      EXPECT_NEAR(mode.middle, truth, 0.06 * truth);
      places_held += mode.middle_low <= truth && truth <= mode.middle_high;
    }
  }
  EXPECT_EQ(found_all, kRuns);
  EXPECT_GE(shares_held, kRuns * 93 / 100);
  EXPECT_GE(places_held, 2 * kRuns * 93 / 100);
}

TEST(Modes, HumpsThatOverlapAreOneAndThoseThatDoNotAreTwo) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 50; ++run) {
    EXPECT_EQ(modes(drawn(random, {{280, 20, 1000}, {310, 20, 1000}})).size(), 1U);
    EXPECT_EQ(modes(drawn(random, {{250, 15, 1000}, {340, 15, 1000}})).size(), 2U);
  }
}

// A counter that advances by two leaves gaps, which are no valleys.
TEST(Modes, GapsOfTheCounterAreNoValleys) {
  Histogram h;
  for (std::uint64_t value = 20; value <= 80; value += 2)
    h.add(value, 1000 - (value - 50) * (value - 50));
  EXPECT_EQ(modes(h).size(), 1U);
}

}  // namespace
}  // namespace tacho::TEST_FILE
