#include "record/wake_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <span>

namespace tacho {
namespace {

// The kernel looks at one range after the other, at each wake-up of the machine.
constexpr std::size_t kMostRanges = 32;

// More new threads than a recording sees.
constexpr pid_t kManyThreads = 500'000;

struct Range {
  pid_t first = 0, last = 0;
};

// The ranges leave out the widest gaps between the numbers, which are sorted.
std::vector<Range> ranges_of(std::span<const pid_t> tids) {
  std::vector<pid_t> gaps;
  for (std::size_t i = 1; i < tids.size(); ++i) gaps.push_back(tids[i] - tids[i - 1]);
  std::ranges::sort(gaps, std::greater());
  const pid_t widest_kept = gaps.size() < kMostRanges ? 1 : gaps[kMostRanges - 1];
  std::vector<Range> ranges;
  for (const pid_t tid : tids) {
    if (ranges.empty() || tid - ranges.back().last > widest_kept)
      ranges.push_back({tid, tid});
    else
      ranges.back().last = tid;
  }
  return ranges;
}

}  // namespace

std::string wake_filter(std::vector<pid_t> tids, ThreadNumbers numbers) {
  if (numbers.most - numbers.newest < kManyThreads) return "";
  std::ranges::sort(tids);
  std::string filter;
  for (const Range& range : ranges_of(tids))
    filter += fmt::format("(pid>={}&&pid<={})||", range.first, range.last);
  return filter + fmt::format("pid>{}", numbers.newest);
}

}  // namespace tacho
