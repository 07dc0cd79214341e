// The caches have nothing to do with how such lists become slower: each page needs a word of them
// and one of the page table. They cost the same up to the reach, and from there on more and more.
#include "analysis/latency_repeated.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/latency_size.hpp"
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
constexpr double kListsDiffer = 0.02;  // of what a load costs
constexpr double kFillsUnevenly = 1.05;  // times: sets may do so, by pages that lie side by side
constexpr std::size_t kEnoughLists = 8;

// How many of its pages, visited in a cycle, a TLB misses that has room for one: in each set, where
// they are spread evenly over these, all of one page too many, when the least recently used goes.
double missed_in_order(double filled, double ways) {
  return std::clamp((filled - 1) * (ways + 1) / filled, 0.0, 1.0);
}

// Likewise when any of a set's pages goes: each miss takes a given one once in `ways`, and it is
// found if none has since its last use.
double missed_at_random(double filled, double ways) {
  if (filled <= 1) return 0;
  double missed = 1;
  constexpr int kIterations = 64;
  for (int i = 0; i < kIterations; ++i)
    missed = 1 - std::pow(1 - 1 / ways, filled * ways * missed);
  return missed;
}

using Missed = double (*)(double filled, double ways);
constexpr std::array<Missed, 2> kPolicies = {missed_in_order, missed_at_random};
constexpr std::array<double, 3> kWays = {4, 8, 16};  // none tells its own

bool is_of(const SizeLatency& size, const TlbTier& first) {
  return size.layout == Layout::repeated && !size.disturbed &&
         size.page_bytes == first.page_bytes &&
         static_cast<double>(size.lines) >= kHitsFrom * first.entries;
}

// By rising pages, each once, and no higher than those behind: a longer list can't cost less, and
// what others left in the TLB only adds.
std::vector<OnsetPoint> curve_of(std::span<const LatencySample> samples,
                                 std::span<const SizeLatency> sizes, double core_hz,
                                 const TlbTier& first) {
  std::map<std::uint64_t, double> least;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_of(sizes[i], first)) continue;
    const double cycles = block_cycles(samples[i], sizes[i].bias_ticks).value_or(sizes[i].cycles) *
                          to_usual_clock(sizes[i], core_hz);
    const auto at = least.try_emplace(sizes[i].lines, cycles).first;
    at->second = std::min(at->second, cycles);
  }
  std::vector<OnsetPoint> curve;
  for (const auto& [pages, cycles] : least) curve.push_back({static_cast<double>(pages), cycles});
  for (std::size_t i = curve.size(); i-- > 1;)
    curve[i - 1].y = std::min(curve[i - 1].y, curve[i].y);
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
  for (const Missed missed : kPolicies)
    for (const double ways : kWays)
      if (const auto fit = find_onset(
              points, [&](double filled) { return missed(filled, ways); }, sigma))
        fits.push_back(*fit);
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

bool tells_second_level(std::span<const SizeLatency> sizes, const TlbTier& first) {
  const auto lists =
      std::ranges::count_if(sizes, [&](const SizeLatency& size) { return is_of(size, first); });
  return static_cast<std::size_t>(lists) >= kEnoughLists;
}

std::optional<TlbTier> second_level(std::span<const LatencySample> samples,
                                    std::span<const SizeLatency> sizes, double core_hz,
                                    const TlbTier& first) {
  const std::vector<OnsetPoint> curve = curve_of(samples, sizes, core_hz, first);
  const auto hits = part_of(curve, kHitsFrom * first.entries, kHitsTo * first.entries);
  if (hits.empty()) return {};
  const double hit = typical(hits);
  const auto risen = std::ranges::upper_bound(curve, kEndOfHits * hit, {}, &OnsetPoint::y);
  if (risen == curve.end()) return {};
  const auto reach =
      reach_of(part_of(curve, kTellsFrom * risen->x, kTellsTo * risen->x), kListsDiffer * hit);
  if (!reach) return {};
  return TlbTier{.name = "L2 TLB",
                 .page_bytes = first.page_bytes,
                 .entries = reach->x,
                 .entries_interval = {reach->low, reach->high},
                 .hit_extra_cycles = first.miss_extra_cycles,
                 .miss_extra_cycles = first.miss_extra_cycles + reach->rise,
                 .ci95_cycles = std::hypot(first.ci95_cycles, kTwoSided95 * kListsDiffer * (hit + reach->rise))};
}

}  // namespace tacho
