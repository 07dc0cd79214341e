// Ranges that share what they have in common, against arrays that share nothing.
#include "base/latest_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace tacho::TEST_FILE {
namespace {

constexpr std::size_t kAddresses = 200;

// Ranges, and what each address should have: -1 if there is none.
struct Checked {
  LatestRanges<int> ranges;
  std::vector<int> expected = std::vector<int>(kAddresses, -1);

  void put(std::size_t start, std::size_t end, int value) {
    ranges.put(start, end, value);
    for (std::size_t i = start; i < end; ++i) expected[i] = value;
  }
  bool agrees() const {
    for (std::size_t i = 0; i < kAddresses; ++i) {
      const int* const found = ranges.at(i);
      if ((found == nullptr ? -1 : *found) != expected[i]) return false;
    }
    return true;
  }
};

TEST(BaseLatestRanges, CopiesChangeIndependently) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<Checked> all(1);
    for (int value = 0; value < 100; ++value) {
      if (value % 10 == 0) all.push_back(all[random() % all.size()]);
      const std::size_t start = random() % 190;
      all[random() % all.size()].put(
          start, std::min<std::size_t>(kAddresses, start + random() % 40), value);
      if (value % 25 == 0) all[random() % all.size()] = {};
    }
    for (const Checked& each : all) ASSERT_TRUE(each.agrees()) << round;
  }
}

TEST(BaseLatestRanges, ThePiecesAndNeighboursAreInOrder) {
  LatestRanges<int> ranges;
  ranges.put(10, 50, 1);
  ranges.put(20, 30, 2);
  ranges.put(30, 30, 3);
  std::vector<std::vector<std::uint64_t>> pieces;
  ranges.for_each([&](const LatestRanges<int>::Piece& piece) {
    pieces.push_back({piece.start, piece.end, static_cast<std::uint64_t>(piece.value)});
  });
  const std::vector<std::vector<std::uint64_t>> expected{{10, 20, 1}, {20, 30, 2}, {30, 50, 1}};
  EXPECT_EQ(pieces, expected);
  EXPECT_EQ(ranges.around(9).before, nullptr);
  EXPECT_EQ(ranges.around(9).after->start, 10U);
  EXPECT_EQ(ranges.around(49).before->start, 30U);
  EXPECT_EQ(ranges.around(49).after, nullptr);
}

// A fork of a process with very many mappings costs what its own changes cost.
TEST(BaseLatestRanges, AChangeCopiesFewOfManySharedRanges) {
  LatestRanges<int> parent;
  for (std::uint64_t i = 0; i < 10'000; ++i) EXPECT_EQ(parent.put(16 * i, 16 * i + 8, 1), 0U);
  std::vector<LatestRanges<int>> children(100, parent);
  EXPECT_TRUE(parent.is_shared());
  std::size_t copied = 0;
  for (LatestRanges<int>& child : children) copied += child.put(80'000, 80'020, 2);
  EXPECT_LT(copied, 100U * 100U) << "2 ln 10000 = 18 on each path";
  EXPECT_GT(copied, 0U);
  EXPECT_EQ(*parent.at(80'000), 1);
  EXPECT_EQ(*children.front().at(80'000), 2);
}

}  // namespace
}  // namespace tacho::TEST_FILE
