#include "locate/sample_counts.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

TEST(SampleCounts, OfAPairAreThoseThatWereAddedToIt) {
  constexpr std::size_t kEvents = 40, kPlaces = 300;
  std::vector<std::vector<SampleCount>> expected(kEvents, std::vector<SampleCount>(kPlaces));
  SampleCounts counts;
  std::mt19937 random(7);  // NOLINT: the same numbers in each run
  for (int i = 0; i < 5000; ++i) {
    const std::size_t event = random() % kEvents, place = random() % kPlaces;
    const std::uint64_t period = random() % 1000;
    counts.at(event, place).add(period);
    expected[event][place].add(period);
  }
  for (std::size_t event = 0; event < kEvents; ++event)
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const SampleCount found = counts.of(event, place);
      EXPECT_EQ(found.samples, expected[event][place].samples) << event << " at " << place;
      EXPECT_EQ(found.sum, expected[event][place].sum) << event << " at " << place;
      EXPECT_EQ(found.squares, expected[event][place].squares) << event << " at " << place;
    }
}

TEST(SampleCounts, KeepOnlyThePairsThatHaveSamples) {
  SampleCounts counts;
  for (std::size_t event = 0; event < 16384; ++event) counts.at(event, 1'000'000 - event).add(1);
  EXPECT_EQ(counts.of(3, 4).samples, 0U);
  EXPECT_EQ(counts.of(20000, 4).samples, 0U);
  EXPECT_EQ(counts.entries().size(), 16384U);
}

TEST(SampleCounts, AreListedByEventAndByPlace) {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  SampleCounts counts;
  for (const auto& [event, place] : std::vector<Pair>{{1, 5}, {0, 7}, {1, 2}, {0, 5}, {1, 5}})
    counts.at(event, place).add(10);
  const auto listed = [&](const std::vector<std::uint32_t>& numbers) {
    std::vector<Pair> found;
    for (const std::uint32_t number : numbers)
      found.emplace_back(counts.entries()[number].event, counts.entries()[number].place);
    return found;
  };
  EXPECT_EQ(listed(counts.by_event()), (std::vector<Pair>{{0, 5}, {0, 7}, {1, 2}, {1, 5}}));
  EXPECT_EQ(listed(counts.by_place()), (std::vector<Pair>{{1, 2}, {0, 5}, {1, 5}, {0, 7}}));
}

}  // namespace
}  // namespace tacho::TEST_FILE
