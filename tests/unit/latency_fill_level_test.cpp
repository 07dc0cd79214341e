// Filling levels page by page: in caches that are simulated here, with different replacement
// policies. And the groups of lines that real caches are filled with.
#include "latency/chase/fill_level.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "latency/chase/line_groups.hpp"

namespace tacho::chase::TEST_FILE {
namespace {

enum class Policy { least_recent, one_bit, any_line, first_in };

// Sets of ways, which at first hold lines of other data. All lines of a page behave alike, so one
// line represents it. Pages are at random places: the set of a page's line is drawn.
class Cache {
 public:
  Cache(unsigned sets, unsigned ways, Policy policy, std::size_t pages, std::uint64_t seed)
      : ways_(ways), policy_(policy), random_(seed), held_(sets) {
    for (auto& set : held_) set.assign(ways, Line{kOthers, false});
    for (std::size_t page = 0; page < pages; ++page)
      set_of_.push_back(std::uniform_int_distribution<std::size_t>(0, sets - 1)(random_));
  }

  // Whether it was found.
  bool visit(std::size_t page) {
    std::vector<Line>& set = held_[set_of_[page]];
    const auto at = std::ranges::find(set, page, &Line::page);
    const bool found = at != set.end();
    if (policy_ == Policy::first_in && found) return true;
    if (found && policy_ != Policy::one_bit) {
      std::rotate(set.begin(), at, std::next(at));  // the most recent first
      return true;
    }
    auto taken = found ? at : std::prev(set.end());
    if (!found && policy_ == Policy::any_line)
      taken = set.begin() + std::uniform_int_distribution<std::ptrdiff_t>(0, ways_ - 1)(random_);
    if (!found && policy_ == Policy::one_bit) {
      taken = std::ranges::find(set, false, &Line::used);
      if (taken == set.end()) {
        for (Line& line : set) line.used = false;
        taken = set.begin();
      }
    }
    *taken = {page, true};
    if (policy_ == Policy::least_recent || policy_ == Policy::first_in)
      std::rotate(set.begin(), taken, std::next(taken));
    return found;
  }

 private:
  static constexpr std::size_t kOthers = SIZE_MAX;
  struct Line {
    std::size_t page = kOthers;
    bool used = false;
  };

  unsigned ways_;
  Policy policy_;
  std::mt19937_64 random_;
  std::vector<std::vector<Line>> held_;
  std::vector<std::size_t> set_of_;
};

struct Level {
  unsigned sets = 16;
  unsigned ways = 16;
  Policy policy = Policy::least_recent;
  double miss = 44;     // cycles; a hit takes 14
  double noise = 0.01;  // of what is measured
};

// Visits pages as on a machine: 64 lines each, and the faster half of eight visits counts.
FilledLevel filled(const Level& level, std::size_t pages, std::uint64_t seed) {
  Cache cache(level.sets, level.ways, level.policy, pages, seed);
  std::mt19937_64 random(seed + 1);
  std::normal_distribution<double> noise(1, level.noise);
  std::vector<std::size_t> in;
  GroupsToFill groups;
  groups.count = pages;
  groups.take_in = [&](std::size_t page) {
    const auto at = std::uniform_int_distribution<std::size_t>(0, in.size())(random);
    in.insert(in.begin() + static_cast<std::ptrdiff_t>(at), page);
  };
  groups.revisit = [&](std::span<const std::size_t> tried) {
    constexpr int kSettling = 16;
    constexpr int kVisits = 64;
    std::vector<double> missed(tried.size());
    for (int visit = 0; visit < kSettling + kVisits; ++visit) {
      for (const std::size_t page : in) cache.visit(page);
      for (std::size_t i = 0; i < tried.size(); ++i)
        if (!cache.visit(tried[i]) && visit >= kSettling) missed[i] += 1.0 / kVisits;
    }
    std::vector<double> taken;
    for (const double share : missed)
      taken.push_back((14 + share * (level.miss - 14)) * noise(random));
    return taken;
  };
  return fill_level(groups, 8, [] { return false; });
}

// A cache with 16 sets of pages and 16 ways holds 256 pages, and so on.
void expect_capacity_found(Policy policy) {
  for (const auto& [sets, ways] : {std::pair(16U, 16U), std::pair(16U, 8U), std::pair(32U, 12U)}) {
    const std::size_t holds = std::size_t{sets} * ways;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const FilledLevel found =
          filled({.sets = sets, .ways = ways, .policy = policy}, 3 * holds, seed);
      EXPECT_TRUE(found.full);
      EXPECT_GE(static_cast<double>(found.groups), 0.96 * static_cast<double>(holds))
          << ways << " ways, seed " << seed;
      EXPECT_LE(static_cast<double>(found.groups), 1.04 * static_cast<double>(holds))
          << ways << " ways, seed " << seed;
    }
  }
}

TEST(ChaseFilling, FindsTheCapacityIfTheLeastRecentLineGoes) {
  expect_capacity_found(Policy::least_recent);
}
TEST(ChaseFilling, FindsTheCapacityIfOneBitALineTellsWhichGoes) {
  expect_capacity_found(Policy::one_bit);
}
TEST(ChaseFilling, FindsTheCapacityIfAnyLineGoes) {
  expect_capacity_found(Policy::any_line);
}
TEST(ChaseFilling, FindsTheCapacityIfTheOldestLineGoes) {
  expect_capacity_found(Policy::first_in);
}

TEST(ChaseFilling, ALevelWithTooFewGroupsToFillItIsNotFull) {
  EXPECT_FALSE(filled({.sets = 16, .ways = 16}, 100, 1).full);
}

TEST(ChaseFilling, EndsWhenStopped) {
  int visits = 0;
  const GroupsToFill groups{1000,
                            [&](std::span<const std::size_t> tried) {
                              ++visits;
                              return std::vector<double>(tried.size(), 1.0);
                            },
                            [](std::size_t) {}};
  const FilledLevel found = fill_level(groups, 8, [&] { return visits == 3; });
  EXPECT_FALSE(found.full);
  EXPECT_EQ(visits, 3);
}

struct Lines {
  explicit Lines(std::size_t count) : links(count) {}
  Link* place(std::size_t line) { return &links[line]; }
  std::vector<Link> links;
};

std::set<const Link*> way_from(const Link* begin) {
  std::set<const Link*> visited;
  for (const Link* at = begin; visited.insert(at).second;) at = at->next;
  return visited;
}

TEST(ChaseLineGroups, AreCyclesOfTheirOwnUntilTheyJoin) {
  Lines lines(40);
  LineGroups groups(10, [&](std::size_t line) { return lines.place(line); });
  groups.join(1);
  groups.join(3);
  std::set<const Link*> joined;
  for (std::size_t line = 10; line < 20; ++line) joined.insert(lines.place(line));
  for (std::size_t line = 30; line < 40; ++line) joined.insert(lines.place(line));
  EXPECT_EQ(way_from(groups.begin()), joined);
  EXPECT_EQ(groups.lines(), 20U);

  const Link* const cycle = groups.cycle_of(0);
  std::set<const Link*> own;
  for (std::size_t line = 0; line < 10; ++line) own.insert(lines.place(line));
  EXPECT_EQ(way_from(cycle), own);
  EXPECT_EQ(way_from(groups.begin()), joined);

  groups.join(0);
  joined.merge(own);
  EXPECT_EQ(way_from(groups.begin()), joined);
}

}  // namespace
}  // namespace tacho::chase::TEST_FILE
