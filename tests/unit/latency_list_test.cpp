// A list leads once through all lines, without a pattern, whatever sizes it had before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "latency/chase/kernels.hpp"
#include "latency/chase/list.hpp"
#include "latency/chase/memory.hpp"

namespace tacho::chase::TEST_FILE {
namespace {

struct Ground {
  std::vector<std::byte> bytes;
  std::span<std::byte> aligned(std::size_t size) {
    bytes.resize(size + 4096);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return std::span(bytes).subspan((4096 - address % 4096) % 4096, size);
  }
};

std::vector<Link*> way(const List& list) {
  std::vector<Link*> visited;
  Link* at = list.begin();
  do {
    visited.push_back(at);
    at = at->next;
  } while (at != list.begin() && visited.size() <= list.lines());
  return visited;
}

TEST(ChaseList, LeadsThroughEveryLineOnceAndBack) {
  Ground ground;
  List list(ground.aligned(64 * 1000), {});
  for (const std::size_t lines : {1U, 2U, 3U, 64U, 1000U, 999U, 64U, 500U}) {
    list.resize(lines);
    const auto visited = way(list);
    EXPECT_EQ(visited.size(), lines);
    EXPECT_EQ(std::set(visited.begin(), visited.end()).size(), lines);
  }
}

TEST(ChaseList, KeepsToItsLines) {
  Ground ground;
  const auto memory = ground.aligned(64 * 100);
  List list(memory, {});
  list.resize(40);
  for (const Link* each : way(list)) {
    const auto offset = reinterpret_cast<const std::byte*>(each) - memory.data();
    EXPECT_EQ(offset % 64, 0);
    EXPECT_LT(offset, 64 * 40);
  }
}

// If several pages show the same memory, each page has a word of its own there. A write through one
// page is visible through the others, and the words do not overlap.
TEST(ChaseList, RepeatedLeadsThroughAWordOfEachPage) {
  constexpr std::size_t kPages = 5000;
  const auto memory = Memory::repeated(kPages);
  ASSERT_TRUE(memory) << memory.error().what;
  const std::size_t page = memory->page_bytes();
  List list(memory->bytes(), {Layout::repeated, 64, page});
  ASSERT_GE(list.capacity(), kPages);
  list.resize(kPages);
  const auto visited = way(list);
  ASSERT_EQ(visited.size(), kPages);
  std::set<std::ptrdiff_t> pages;
  for (const Link* each : visited)
    pages.insert((reinterpret_cast<const std::byte*>(each) - memory->bytes().data()) /
                 static_cast<std::ptrdiff_t>(page));
  EXPECT_EQ(pages.size(), kPages);
  const std::size_t shown = physical_pages(list.capacity()) * page;
  ASSERT_LT(shown, memory->bytes().size());
  memory->bytes()[shown / 2] = std::byte{42};
  EXPECT_EQ(memory->bytes()[shown + shown / 2], std::byte{42});
}

TEST(ChaseList, HasNoPatternForAPrefetcher) {
  Ground ground;
  List list(ground.aligned(64 * 4096), {});
  list.resize(4096);
  const auto visited = way(list);
  std::map<std::ptrdiff_t, int> strides;
  for (std::size_t i = 1; i < visited.size(); ++i)
    ++strides[reinterpret_cast<const std::byte*>(visited[i]) -
              reinterpret_cast<const std::byte*>(visited[i - 1])];
  // There are 8,190 possible strides; each is expected less than once.
  for (const auto& [stride, times] : strides) EXPECT_LT(times, 10) << stride;
}

TEST(ChaseList, SpreadHasOneLineAPageInAllSetsAlike) {
  Ground ground;
  const auto memory = ground.aligned(std::size_t{4096} * 256);
  List list(memory, {.layout = Layout::spread, .line_bytes = 64, .page_bytes = 4096});
  EXPECT_EQ(list.capacity(), 256U);
  list.resize(256);
  std::set<std::ptrdiff_t> pages;
  std::map<std::ptrdiff_t, int> places;
  for (const Link* each : way(list)) {
    const auto offset = reinterpret_cast<const std::byte*>(each) - memory.data();
    pages.insert(offset / 4096);
    ++places[offset % 4096];
  }
  EXPECT_EQ(pages.size(), 256U);
  EXPECT_EQ(places.size(), 64U);
  for (const auto& [place, times] : places) EXPECT_NEAR(times, 4, 1) << place;
}

TEST(ChaseList, SpreadLinesOfPagesSideBySideUseAllSetsOfASecondLevel) {
  Ground ground;
  const auto memory = ground.aligned(std::size_t{4096} * 4096);
  const List list(memory, {.layout = Layout::spread, .line_bytes = 64, .page_bytes = 4096});
  for (const std::size_t count : {256U, 512U, 1024U, 2048U, 4096U}) {
    std::map<std::uintptr_t, int> sets;
    for (std::size_t page = 0; page < count; ++page) {
      const auto offset = reinterpret_cast<const std::byte*>(list.place(page)) - memory.data();
      ++sets[static_cast<std::uintptr_t>(offset) / 64 % count];
    }
    for (const auto& [set, times] : sets) EXPECT_LE(times, 4) << set << " of " << count;
  }
}

TEST(ChaseKernels, EveryAccessFollowsTheList) {
  Ground ground;
  List list(ground.aligned(64 * 100), {});
  list.resize(100);
  const auto visited = way(list);
  for (const Access access : {Access::load, Access::write, Access::atomic}) {
    const Kernel timed = kernel(access, Timer::ticks);
    for (const std::size_t steps : {0U, 1U, 15U, 16U, 17U, 99U, 100U, 250U})
      EXPECT_EQ(timed.walk(list.begin(), steps), visited[steps % 100]) << to_string(access);
    EXPECT_EQ(way(list), visited) << "the walk has changed the way";
  }
}

TEST(ChaseKernels, ABlockHasTheRequestedSteps) {
  Ground ground;
  List list(ground.aligned(64 * 1000), {});
  list.resize(1000);
  const auto visited = way(list);
  std::vector<Timed> blocks(3);
  const Kernel timed = kernel(Access::load, Timer::ticks);
  // One step comes before each block.
  EXPECT_EQ(timed.blocks(list.begin(), 1, blocks), visited[3 * (kBlock + 1)]);
  EXPECT_EQ(timed.blocks(list.begin(), 4, blocks), visited[3 * (4 * kBlock + 1)]);
}

TEST(ChaseKernels, ParallelChasesAllArrive) {
  Ground ground;
  List list(ground.aligned(64 * 1000), {});
  list.resize(1000);
  const auto visited = way(list);
  const auto written = [&] {
    return std::ranges::count_if(visited, [](Link* each) { return each[1].next == each; });
  };
  for (const Access access : {Access::load, Access::atomic, Access::write}) {
    for (std::size_t chases = 1; chases <= kMostChases; ++chases) {
      EXPECT_EQ(written(), 0) << to_string(access);
      std::vector<Link*> at;
      for (std::size_t i = 0; i < chases; ++i) at.push_back(visited[i * 50]);
      kernel(access, Timer::ticks).parallel(at, 2);
      for (std::size_t i = 0; i < chases; ++i)
        EXPECT_EQ(at[i], visited[(i * 50 + 2 * kBlock) % 1000]);
      if (access != Access::write) continue;
      EXPECT_EQ(written(), (chases - 1) * 50 + 2 * kBlock);
      for (Link* each : visited) each[1].next = nullptr;
    }
  }
}

}  // namespace
}  // namespace tacho::chase::TEST_FILE
