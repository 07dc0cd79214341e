// The caches have little to do with how such lists become slower: each page needs a word of them
// and one of the page table. They cost the same up to the reach, and from there on more and more.
#include "latency/inference/repeated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "latency/inference/capacity.hpp"
#include "latency/inference/size.hpp"
#include "stats/normal.hpp"
#include "stats/onset.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

// Times the first level's reach: lists that exceed it, and no second level.
constexpr double kHitsFrom = 2;
constexpr double kHitsTo = 4;
constexpr double kEndOfHits = 1.3;  // times what hits cost
// Times the pages at which that is reached: what tells the reach.
constexpr double kTellsFrom = 0.25;
constexpr double kTellsTo = 2;
constexpr double kListsDiffer = 0.02;    // of what a load costs
constexpr double kFillsUnevenly = 1.05;  // times: sets may do so, by pages that lie side by side
constexpr double kWithinFirst = 0.4;     // times the first level's reach; so is
constexpr double kFirst = 0.9;
constexpr double kNeighbours = 1.2;  // times the pages
constexpr double kMostOff = 4;       // times what a word costs

// What part of so many times its entries, pages that are visited in a cycle, a TLB misses that has
// room for one: in each set, where pages are spread evenly over these, all of one page too many,
// when the least recently used goes.
OnsetForm missed_in_order(double ways) {
  return [ways](double filled) { return std::clamp((filled - 1) * (ways + 1) / filled, 0.0, 1.0); };
}

// Likewise when any of a set's pages goes. From a table, as only how full it is can be told from
// what is missed.
OnsetForm missed_at_random(double ways) {
  constexpr int kSteps = 256;
  std::vector<OnsetPoint> table = {{1, 0}};
  for (int i = 1; i < kSteps; ++i) {
    const double missed = static_cast<double>(i) / kSteps;
    const double filled = filled_at_random(missed, ways);
    if (filled > table.back().x) table.push_back({filled, missed});
  }
  return [table = std::move(table)](double filled) {
    const auto above = std::ranges::upper_bound(table, filled, {}, &OnsetPoint::x);
    if (above == table.begin()) return 0.0;
    const OnsetPoint& below = *std::prev(above);
    if (above == table.end()) return below.y;
    return below.y + (above->y - below.y) * (filled - below.x) / (above->x - below.x);
  };
}

using Caches = std::function<double(std::uint64_t bytes)>;
constexpr std::array kForms = {missed_in_order, missed_at_random};
constexpr std::array<double, 3> kWays = {4, 8, 16};  // none tells its own

// Whether the TLB may have told what such a list cost: another thread on the core takes a part of
// it, but does no worse than what others left there.
bool is_told(const SizeLatency& size, std::uint64_t page_bytes) {
  return size.layout == Layout::repeated && size.page_bytes == page_bytes &&
         (!size.disturbed || *size.disturbed == kCoreShared);
}

// The fastest of each number of pages.
std::map<std::uint64_t, double> least_cycles(std::span<const LatencySample> samples,
                                             std::span<const SizeLatency> sizes, double core_hz,
                                             std::uint64_t page_bytes) {
  std::map<std::uint64_t, double> least;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SizeLatency& size = sizes[i];
    if (!is_told(size, page_bytes)) continue;
    const double cycles = block_cycles(samples[i], size.bias_ticks).value_or(size.cycles) *
                          to_usual_clock(size, core_hz);
    const auto at = least.try_emplace(size.lines, cycles).first;
    at->second = std::min(at->second, cycles);
  }
  return least;
}

// What a word costs that is in the nearest cache, and needs no miss of the TLB: as much as other
// loads, but where a cache finds a line only by the address that it was last seen at, for several
// pages show each (AMD's microtags: Software Optimization Guide for AMD Family 17h Processors, L1
// data cache).
double word_cycles(const std::map<std::uint64_t, double>& lists, const TlbTier& first,
                   double l1_cycles) {
  std::vector<double> cycles;
  for (const auto& [pages, each] : lists)
    if (static_cast<double>(pages) > kWithinFirst * first.entries &&
        static_cast<double>(pages) < kFirst * first.entries)
      cycles.push_back(each);
  return cycles.empty() ? l1_cycles : std::max(l1_cycles, median(cycles));
}

// By rising pages, without what the words' lines cost that are too many for the nearest cache, up
// to where that is too much to be taken off; and no higher than the neighbours behind, for a longer
// list costs no less, and others only add.
std::vector<OnsetPoint> curve_of(const std::map<std::uint64_t, double>& lists, const TlbTier& first,
                                 const Caches& caches) {
  const double word = word_cycles(lists, first, caches(0));
  std::vector<OnsetPoint> curve;
  for (const auto& [pages, cycles] : lists) {
    if (static_cast<double>(pages) < kHitsFrom * first.entries) continue;
    const double more = std::max(0.0, caches(pages * sizeof(std::uint64_t)) - word);
    if (more > kMostOff * word) break;
    curve.push_back({static_cast<double>(pages), cycles - more});
  }
  for (auto point = curve.begin(); point != curve.end(); ++point)
    for (auto next = point; next != curve.end() && next->x < kNeighbours * point->x; ++next)
      point->y = std::min(point->y, next->y);
  return curve;
}

std::span<const OnsetPoint> part_of(std::span<const OnsetPoint> curve, double from, double to) {
  const auto begin = std::ranges::lower_bound(curve, from, {}, &OnsetPoint::x);
  return {begin, std::ranges::upper_bound(begin, curve.end(), to, {}, &OnsetPoint::x)};
}

double typical(std::span<const OnsetPoint> part) {
  std::vector<double> cycles;
  for (const OnsetPoint& point : part) cycles.push_back(point.y);
  return median(cycles);
}

// By the form that fits best; the interval has those of all that fit hardly worse.
std::optional<Onset> reach_of(std::span<const OnsetPoint> points, double sigma) {
  std::vector<Onset> fits;
  for (const auto form : kForms)
    for (const double ways : kWays)
      if (const auto fit = find_onset(points, form(ways), sigma)) fits.push_back(*fit);
  if (fits.empty()) return {};
  Onset best = *std::ranges::min_element(fits, {}, &Onset::squares);
  const double hardly_worse =
      best.squares * (1 + 4 / static_cast<double>(points.size())) + 4 * sigma * sigma;
  for (const Onset& fit : fits) {
    if (fit.squares > hardly_worse) continue;
    best.low = std::min(best.low, fit.low);
    best.high = std::max(best.high, fit.high);
  }
  best.low = std::min(best.low, best.x / kFillsUnevenly);
  best.high = std::max(best.high, best.x * kFillsUnevenly);
  return best;
}

}  // namespace

std::optional<TlbTier> second_level(std::span<const LatencySample> samples,
                                    std::span<const SizeLatency> sizes, double core_hz,
                                    const TlbTier& first, const Caches& caches) {
  const std::vector<OnsetPoint> curve =
      curve_of(least_cycles(samples, sizes, core_hz, first.page_bytes), first, caches);
  const auto hits = part_of(curve, kHitsFrom * first.entries, kHitsTo * first.entries);
  if (hits.empty()) return {};
  const double hit = typical(hits);
  const auto stays = std::find_if(curve.rbegin(), curve.rend(), [&](const OnsetPoint& point) {
    return point.y <= kEndOfHits * hit;
  });
  if (stays == curve.rbegin()) return {};
  const auto risen = stays.base();
  const auto reach =
      reach_of(part_of(curve, kTellsFrom * risen->x, kTellsTo * risen->x), kListsDiffer * hit);
  if (!reach) return {};
  return TlbTier{.name = "L2 TLB",
                 .page_bytes = first.page_bytes,
                 .entries = reach->x,
                 .entries_interval = {reach->low, reach->high},
                 .hit_extra_cycles = first.miss_extra_cycles,
                 .miss_extra_cycles = first.miss_extra_cycles + reach->rise,
                 .ci95_cycles = std::hypot(first.ci95_cycles,
                                           kTwoSided95 * kListsDiffer * (hit + reach->rise))};
}

}  // namespace tacho
