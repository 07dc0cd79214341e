// The effect of clusters whose true effect is known.
#include "stats/clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

TEST(Clusters, OfOneValueEachAreIndependentValues) {
  const std::vector<Cluster> alone{{1, 0}, {1, 1}, {1, 1}, {0, 0}};
  const ClusterEffect effect = cluster_effect(alone, 2, DrawnFrom::endless_run);
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
  const ClusterEffect effect = cluster_effect(clusters, sum, DrawnFrom::endless_run);
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
  EXPECT_NEAR(cluster_effect(clusters, squares, DrawnFrom::endless_run).worth, 1, 0.06);
}

TEST(Clusters, OfEqualValuesCountAsOneValueEach) {
  const std::vector<Cluster> none(50, Cluster{10, 0});
  EXPECT_DOUBLE_EQ(cluster_effect(none, 0, DrawnFrom::this_run).worth, 0.1);
  EXPECT_EQ(cluster_effect({}, 0, DrawnFrom::this_run).freedom, 0);
  // One cluster has no information about the differences between clusters.
  for (const DrawnFrom from : {DrawnFrom::this_run, DrawnFrom::endless_run})
    EXPECT_LT(independent_draws(16, cluster_effect(std::vector<Cluster>{{16, 8}}, 8, from)), 0.05);
}

// Half of the clusters have only ones, and the other half only zeros. One after the other, they
// show that the run has two stretches. An endless run could have other stretches.
TEST(Clusters, OfThisRunInTwoStretchesAreSureOfThem) {
  std::vector<Cluster> clusters(100, Cluster{10, 0});
  for (std::size_t i = 50; i < 100; ++i) clusters[i].sum = 10;
  EXPECT_NEAR(cluster_effect(clusters, 500, DrawnFrom::endless_run).worth, 0.1, 0.01);
  EXPECT_EQ(cluster_effect(clusters, 500, DrawnFrom::this_run).worth, 1);
}

// Three clusters with ones show hardly more about how alike their values are than three values.
TEST(Clusters, AFewClustersWithACaseHaveFewDegreesOfFreedom) {
  std::vector<Cluster> clusters(300, Cluster{10, 0});
  for (const std::size_t at : {20U, 120U, 220U}) clusters[at].sum = 9;
  EXPECT_NEAR(cluster_effect(clusters, 27, DrawnFrom::this_run).freedom, 6, 0.5);
}

}  // namespace
}  // namespace tacho::TEST_FILE
