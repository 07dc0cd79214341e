// Caches have little to do with the latency of repeated lists: each page needs one word of them,
// and one word of the page table. Such lists cost the same up to the TLB's entries, and more and
// more from there on.
#include "latency/inference/second_tlb_level.hpp"

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
#include "latency/inference/list_latency.hpp"
#include "latency/inference/rules.hpp"
#include "stats/normal.hpp"
#include "stats/onset.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr const SecondTlbRules& kSecond = kLatencyRules.second_tlb;

// The share that a TLB with LRU misses if this multiple of its entries is visited in a cycle, and
// the pages are spread evenly over its sets: a set with one page too many misses all of them.
OnsetForm missed_in_order(double ways) {
  return [ways](double filled) { return std::clamp((filled - 1) * (ways + 1) / filled, 0.0, 1.0); };
}

// The same with random replacement. From a table, because the formula gives the multiple from the
// share.
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

// Whether a list shows the TLB. Lists that another thread on the core disturbed do so, too: it
// takes a part of the TLB, and so do the entries that other programs left there.
bool shows_tlb(const SizeLatency& size, std::uint64_t page_bytes) {
  return size.layout == Layout::repeated && size.page_bytes == page_bytes &&
         (!size.disturbed || *size.disturbed == kCoreShared);
}

// The fastest list of each number of pages.
std::map<std::uint64_t, double> least_cycles(std::span<const LatencySample> samples,
                                             std::span<const SizeLatency> sizes, double core_hz,
                                             std::uint64_t page_bytes) {
  std::map<std::uint64_t, double> least;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SizeLatency& size = sizes[i];
    if (!shows_tlb(size, page_bytes)) continue;
    const double cycles = block_cycles(samples[i], size.bias_ticks).value_or(size.cycles) *
                          to_usual_clock(size, core_hz);
    const auto at = least.try_emplace(size.lines, cycles).first;
    at->second = std::min(at->second, cycles);
  }
  return least;
}

// The cost of a word in the nearest cache, without a miss of the TLB. It is that of other loads,
// except if the cache finds a line only by the address that it was last seen at: several pages show
// each line (AMD's microtags: Software Optimization Guide for AMD Family 17h Processors, L1 data
// cache).
double word_cycles(const std::map<std::uint64_t, double>& lists, const TlbTier& first,
                   double l1_cycles) {
  std::vector<double> cycles;
  for (const auto& [pages, each] : lists)
    if (static_cast<double>(pages) > kSecond.words_from * first.entries &&
        static_cast<double>(pages) < kSecond.words_to * first.entries)
      cycles.push_back(each);
  return cycles.empty() ? l1_cycles : std::max(l1_cycles, median(cycles));
}

// The cycles over the pages. The cost of words that the nearest cache can't hold is subtracted; the
// curve ends where it is too much for that. No list costs more than a slightly longer one, because
// other work only adds time.
std::vector<OnsetPoint> curve_of(const std::map<std::uint64_t, double>& lists, const TlbTier& first,
                                 const Caches& caches) {
  const double word = word_cycles(lists, first, caches(0));
  std::vector<OnsetPoint> curve;
  for (const auto& [pages, cycles] : lists) {
    if (static_cast<double>(pages) < kSecond.hits_from * first.entries) continue;
    const double more = std::max(0.0, caches(pages * sizeof(std::uint64_t)) - word);
    if (more > kSecond.most_subtracted * word) break;
    curve.push_back({static_cast<double>(pages), cycles - more});
  }
  for (auto point = curve.begin(); point != curve.end(); ++point)
    for (auto next = point; next != curve.end() && next->x < kSecond.neighbours * point->x; ++next)
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

// From the form that fits best. The interval contains those of all forms that fit hardly worse.
std::optional<Onset> entries_of(std::span<const OnsetPoint> points, double sigma) {
  std::vector<Onset> fits;
  for (const auto form : kForms)
    for (const double ways : kSecond.ways)
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
  best.low = std::min(best.low, best.x / kSecond.uneven);
  best.high = std::max(best.high, best.x * kSecond.uneven);
  return best;
}

}  // namespace

std::optional<TlbTier> second_tlb_level(std::span<const LatencySample> samples,
                                        std::span<const SizeLatency> sizes, double core_hz,
                                        const TlbTier& first, const Caches& caches) {
  const std::vector<OnsetPoint> curve =
      curve_of(least_cycles(samples, sizes, core_hz, first.page_bytes), first, caches);
  const auto hits =
      part_of(curve, kSecond.hits_from * first.entries, kSecond.hits_to * first.entries);
  if (hits.empty()) return {};
  const double hit = typical(hits);
  const auto stays = std::find_if(curve.rbegin(), curve.rend(), [&](const OnsetPoint& point) {
    return point.y <= kSecond.end_of_hits * hit;
  });
  if (stays == curve.rbegin()) return {};
  const auto risen = stays.base();
  const auto end =
      entries_of(part_of(curve, kSecond.fit_from * risen->x, kSecond.fit_to * risen->x),
                 kSecond.lists_differ * hit);
  if (!end) return {};
  return TlbTier{.name = "L2 TLB",
                 .page_bytes = first.page_bytes,
                 .entries = end->x,
                 .entries_interval = {end->low, end->high},
                 .hit_extra_cycles = first.miss_extra_cycles,
                 .miss_extra_cycles = first.miss_extra_cycles + end->rise,
                 .ci95_cycles = std::hypot(
                     first.ci95_cycles, kTwoSided95 * kSecond.lists_differ * (hit + end->rise),
                     kTwoSided95 * kLatencyRules.tlb.walks_differ * end->rise)};
}

}  // namespace tacho
