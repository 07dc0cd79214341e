// Quantiles of the sketch against those of sorted values, and the width of its buckets.
#include "caliper/sketch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "caliper/distribution.hpp"

namespace tacho::caliper::TEST_FILE {
namespace {

void add(Distribution& sums, const std::vector<std::uint64_t>& values) {
  const auto sketch = std::make_unique<Sketch>();
  for (const std::uint64_t value : values) sketch->add(value);
  const auto [least, most] = std::ranges::minmax(values);
  sums.add(*sketch, least, most);
}

Distribution sums_of(const std::vector<std::uint64_t>& values) {
  Distribution sums;
  add(sums, values);
  return sums;
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
  const Distribution sums = sums_of({5, 7, 7, 100, 127});
  EXPECT_EQ(sums.quantile(0.5), 7);
  EXPECT_EQ(sums.quantile(0.99), 127);
  EXPECT_EQ(sums.quantile(0), 5);
}

TEST(Sketch, QuantilesOfSkewedValuesAreWithinTheStatedAccuracy) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> skewed(8, 3);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 50'000; ++i) values.push_back(static_cast<std::uint64_t>(skewed(random)));
  const Distribution sums = sums_of(values);
  std::ranges::sort(values);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * 50'000)) - 1;
    const auto truth = static_cast<double>(values[rank]);
    EXPECT_NEAR(sums.quantile(q), truth, truth / 128) << q;
  }
}

TEST(Sketch, TheSumOfSeveralHasTheQuantilesOfAllValues) {
  Distribution sums;
  add(sums, {10, 30, 30, 90});
  add(sums, {20, 30, 100});
  add(sums, {1, 1'000'000});
  EXPECT_EQ(sums.quantile(0), 1);
  EXPECT_EQ(sums.quantile(0.5), 30);
  EXPECT_EQ(sums.quantile(0.75), 90);
  EXPECT_NEAR(sums.quantile(1), 1'000'000, 1'000'000 / 128);
}

TEST(Sketch, WithoutValuesHasTheQuantileZero) {
  EXPECT_EQ(Distribution().quantile(0.5), 0);
}

TEST(Distribution, ItsTextHasAllOfIt) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 2'000; ++i) values.push_back(random() >> (random() % 64));
  const Distribution sums = sums_of(values);
  const auto read = Distribution::parse(sums.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), sums.text());
  for (const double q : {0.0, 0.1, 0.5, 0.99, 1.0}) EXPECT_EQ(read->quantile(q), sums.quantile(q));
  EXPECT_EQ(sums_of({5, 7, 7, 8}).text(), "5 1 2 2 1 1");
  EXPECT_TRUE(Distribution::parse("")->empty());
}

TEST(Distribution, ATextThatNoneWritesIsRefused) {
  for (const std::string_view text :
       {" ", "5", "5 ", "5 1 ", " 5 1", "5  1", "5 0", "5 1 0 1", "-1 1", "3776 1", "3775 1 1 1",
        "18446744073709551615 1", "5 1\n", "a 1", "5 99999999999999999999"})
    EXPECT_FALSE(Distribution::parse(text)) << text;
  EXPECT_TRUE(Distribution::parse("3775 1"));
}

}  // namespace
}  // namespace tacho::caliper::TEST_FILE
