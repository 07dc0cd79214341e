// The caches have nothing to do with how such lists become slower: each page needs a word of them
// and one of the page table. So they cost the same up to the reach, from where on they cost more:
// all at once, or ever more, by how the TLB makes room.
#include "analysis/latency_repeated.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "analysis/latency_size.hpp"
#include "stats/bend.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr double kHitsFrom = 2;  // times the first level's reach; it is seen to be exceeded there
constexpr double kHitsTo = 4;
constexpr double kEndOfHits = 1.3;     // times what hits cost
constexpr double kWindow = 2;      // log2 of pages: where the level begins that the bend ends
constexpr double kOfTheRise = 0.6;  // up to where a line tells it
constexpr double kSettledFrom = 1.5;  // times the reach: what misses cost
constexpr double kSettledTo = 3;
constexpr double kListsDiffer = 0.02;  // of what a load costs
constexpr std::size_t kEnoughLists = 8;

bool is_of(const SizeLatency& size, const TlbTier& first) {
  return size.layout == Layout::repeated && !size.disturbed &&
         size.page_bytes == first.page_bytes &&
         static_cast<double>(size.lines) >= kHitsFrom * first.entries;
}

// By rising pages, and each no higher than those behind: a longer list can't cost less, and what
// others left in the TLB only adds.
std::vector<BendPoint> curve_of(std::span<const LatencySample> samples,
                                std::span<const SizeLatency> sizes, double core_hz,
                                const TlbTier& first) {
  std::vector<BendPoint> curve;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_of(sizes[i], first)) continue;
    const auto mean = block_cycles(samples[i], sizes[i].bias_ticks);
    curve.push_back({std::log2(static_cast<double>(sizes[i].lines)),
                     mean.value_or(sizes[i].cycles) * to_usual_clock(sizes[i], core_hz)});
  }
  std::ranges::stable_sort(curve, {}, &BendPoint::x);
  for (std::size_t i = curve.size(); i-- > 1;)
    curve[i - 1].y = std::min(curve[i - 1].y, curve[i].y);
  return curve;
}

std::optional<double> typical_between(std::span<const BendPoint> curve, double from, double to) {
  std::vector<double> cycles;
  for (const BendPoint& point : curve)
    if (point.x >= std::log2(from) && point.x <= std::log2(to)) cycles.push_back(point.y);
  return cycles.empty() ? std::nullopt : std::optional(median(cycles));
}

}  // namespace

bool tells_second_level(std::span<const SizeLatency> sizes, const TlbTier& first) {
  const auto lists =
      std::ranges::count_if(sizes, [&](const SizeLatency& size) { return is_of(size, first); });
  return static_cast<std::size_t>(lists) >= kEnoughLists;
}

std::optional<TlbTier> second_level(std::span<const LatencySample> samples,
                                    std::span<const SizeLatency> sizes, double core_hz,
                                    const TlbTier& first) {
  const std::vector<BendPoint> curve = curve_of(samples, sizes, core_hz, first);
  const auto hits = typical_between(curve, kHitsFrom * first.entries, kHitsTo * first.entries);
  if (!hits) return {};
  const auto above = [&](double cycles) {
    return std::ranges::find_if(curve, [&](const BendPoint& point) { return point.y > cycles; });
  };
  const auto risen = above(kEndOfHits * *hits);
  if (risen == curve.end()) return {};
  const auto high = std::ranges::find_if(curve, [&](const BendPoint& point) {
    return point.x >= risen->x + std::log2(kSettledFrom);
  });
  if (high == curve.end()) return {};
  const auto end = above(*hits + kOfTheRise * (high->y - *hits));
  const auto begin = std::ranges::find_if(
      curve, [&](const BendPoint& point) { return point.x >= risen->x - kWindow; });
  const auto bend = find_bend(std::span(begin, std::next(end)), kListsDiffer * *hits);
  if (!bend) return {};
  const double entries = std::exp2(bend->x);
  const auto misses = typical_between(curve, kSettledFrom * entries, kSettledTo * entries);
  if (!misses) return {};
  const double more = *misses - bend->level;
  return TlbTier{.name = "L2 TLB",
                 .page_bytes = first.page_bytes,
                 .entries = entries,
                 .entries_interval = {std::exp2(bend->low), std::exp2(bend->high)},
                 .hit_extra_cycles = first.miss_extra_cycles,
                 .miss_extra_cycles = first.miss_extra_cycles + more,
                 .ci95_cycles = std::hypot(first.ci95_cycles, 2 * kListsDiffer * *misses)};
}

}  // namespace tacho
