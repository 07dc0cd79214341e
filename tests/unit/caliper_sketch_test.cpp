// Quantiles of the sketch against those of sorted values, and the width of its buckets.
#include "caliper/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace tacho::caliper::TEST_FILE {
namespace {

using Sums = std::vector<double>;

Sums sums_of(const std::vector<std::uint64_t>& values) {
  const auto sketch = std::make_unique<Sketch>();
  for (const std::uint64_t value : values) sketch->add(value);
  Sums sums(Sketch::kBuckets);
  sketch->add_to(std::span<double, Sketch::kBuckets>(sums));
  return sums;
}

double quantile_of(const Sums& sums, double q) {
  return quantile(std::span<const double, Sketch::kBuckets>(sums), q);
}

TEST(Sketch, EveryValueIsWithinOne128thOfItsBucketsMiddle) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    const double middle = Sketch::middle_of(Sketch::bucket_of(value));
    EXPECT_LE(std::fabs(middle - static_cast<double>(value)), static_cast<double>(value) / 128)
        << value;
  }
}

TEST(Sketch, BucketsGoUpWithTheValuesAndAllAreUsed) {
  EXPECT_EQ(Sketch::bucket_of(0), 0U);
  EXPECT_EQ(Sketch::bucket_of(~std::uint64_t{0}), Sketch::kBuckets - 1);
  std::size_t last = 0;
  for (std::uint64_t value = 1; value < 1'000'000; ++value) {
    const std::size_t bucket = Sketch::bucket_of(value);
    ASSERT_TRUE(bucket == last || bucket == last + 1) << value;
    last = bucket;
  }
}

TEST(Sketch, SmallValuesAreExact) {
  const Sums sums = sums_of({5, 7, 7, 100, 127});
  EXPECT_EQ(quantile_of(sums, 0.5), 7);
  EXPECT_EQ(quantile_of(sums, 0.99), 127);
  EXPECT_EQ(quantile_of(sums, 0), 5);
}

TEST(Sketch, QuantilesOfSkewedValuesAreWithinTheStatedAccuracy) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> skewed(8, 3);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 50'000; ++i) values.push_back(static_cast<std::uint64_t>(skewed(random)));
  const Sums sums = sums_of(values);
  std::ranges::sort(values);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * 50'000)) - 1;
    const auto truth = static_cast<double>(values[rank]);
    EXPECT_NEAR(quantile_of(sums, q), truth, truth / 128) << q;
  }
}

TEST(Sketch, WithoutValuesHasTheQuantileZero) {
  EXPECT_EQ(quantile_of(Sums(Sketch::kBuckets), 0.5), 0);
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
