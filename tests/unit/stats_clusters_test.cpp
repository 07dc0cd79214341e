// The effect of clusters whose true effect is known.
#include "stats/clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacho {
namespace {

TEST(Clusters, OfOneValueEachAreIndependentValues) {
  const std::vector<Cluster> alone{{1, 0}, {1, 1}, {1, 1}, {0, 0}};
  const ClusterEffect effect = cluster_effect(alone, 2);
  EXPECT_EQ(effect.worth, 1);
  EXPECT_TRUE(std::isinf(effect.freedom));
  EXPECT_EQ(independent_draws(3, effect), 3);
}

TEST(Clusters, ThatRepeatOneValueAreWorthOneEach) {
  std::mt19937 random(3);
  std::vector<Cluster> clusters;
  double sum = 0;
  for (int i = 0; i < 2000; ++i) {
    const double value = random() % 2 == 0 ? 8 : 0;
    clusters.push_back({8, value});
    sum += value;
  }
  const ClusterEffect effect = cluster_effect(clusters, sum);
  EXPECT_NEAR(effect.worth, 1 / 8.0, 0.001);
  EXPECT_EQ(effect.freedom, 1999);
  EXPECT_NEAR(independent_draws(16000, effect), 2000, 10);
}

TEST(Clusters, OfIndependentValuesAreWorthAllOfThem) {
  std::mt19937 random(5);
  std::vector<Cluster> clusters;
  double squares = 0;
  for (int i = 0; i < 5000; ++i) {
    clusters.push_back({8, 0});
    for (int k = 0; k < 8; ++k) {
      const double value = random() % 3 == 0 ? 1 : 0;
      clusters.back().sum += value;
      squares += value;
    }
  }
  EXPECT_NEAR(cluster_effect(clusters, squares).worth, 1, 0.06);
}

TEST(Clusters, OfEqualValuesCountAsOneValueEach) {
  const std::vector<Cluster> none(50, Cluster{10, 0});
  EXPECT_DOUBLE_EQ(cluster_effect(none, 0).worth, 0.1);
  EXPECT_EQ(cluster_effect({}, 0).freedom, 0);
  // One cluster has no information about the differences between clusters.
  EXPECT_LT(independent_draws(16, cluster_effect(std::vector<Cluster>{{16, 8}}, 8)), 0.05);
}

}  // namespace
}  // namespace tacho
