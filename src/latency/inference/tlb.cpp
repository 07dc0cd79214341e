#include "latency/inference/tlb.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "latency/inference/capacity.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/inference/rules.hpp"
#include "latency/inference/second_tlb_level.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr const TlbRules& kTlb = kLatencyRules.tlb;

// The latency of a list in cycles of the core's usual clock.
struct ListLatency {
  SizeLatency size;
  const LatencySample* sample = nullptr;
  double to_usual_clock = 1;
};

// The packed list of so many bytes, from the two measured lists next to it.
struct Control {
  double cycles = 0;
  double ci95 = 0;
  const ListLatency* below = nullptr;
  const ListLatency* above = nullptr;
};

// What pages cost: a spread list minus the packed list of as many lines.
struct Extra {
  double pages = 0;
  double cycles = 0;
  double sigma = 0;
  ListLatency list;
  Control control;
};

bool usable(const SizeLatency& size, Layout layout) {
  return size.layout == layout && !size.disturbed;
}

std::uint64_t bytes_of(const ListLatency& list) {
  return list.size.bytes;
}

std::optional<Control> control_at(std::span<const ListLatency> packed, std::uint64_t bytes) {
  if (packed.empty() || bytes > bytes_of(packed.back())) return {};
  const auto above = std::ranges::lower_bound(packed, bytes, {}, bytes_of);
  if (above == packed.begin() || bytes_of(*above) == bytes)
    return Control{above->size.cycles, above->size.ci95, &*above, &*above};
  const SizeLatency& low = std::prev(above)->size;
  const SizeLatency& high = above->size;
  const double part = std::log2(static_cast<double>(bytes) / static_cast<double>(low.bytes)) /
                      std::log2(static_cast<double>(high.bytes) / static_cast<double>(low.bytes));
  return Control{low.cycles + part * (high.cycles - low.cycles), std::max(low.ci95, high.ci95),
                 &*std::prev(above), &*above};
}

std::vector<Extra> extras(std::span<const ListLatency> spread, std::span<const ListLatency> packed,
                          std::uint64_t page_bytes) {
  std::vector<Extra> found;
  for (const ListLatency& list : spread) {
    const SizeLatency& size = list.size;
    if (size.page_bytes != page_bytes) continue;
    const auto control = control_at(packed, size.bytes);
    if (!control) continue;
    const double cycles = size.cycles - control->cycles;
    const double error = std::hypot(size.ci95, control->ci95) / kTwoSided95;
    found.push_back(
        {static_cast<double>(size.lines), cycles,
         std::hypot(error, kTlb.pair_differs,
                    (size.from_blocks ? kTlb.blocks_differ : kTlb.walks_differ) * cycles),
         list, *control});
  }
  std::ranges::sort(found, {}, &Extra::pages);
  return found;
}

double level_of(std::span<const std::size_t> points, std::span<const Extra> extra) {
  std::vector<double> cycles;
  for (const std::size_t i : points) cycles.push_back(extra[i].cycles);
  return median(cycles);
}

// The points of the plateau above an edge where nearly all pages miss. A TLB with random
// replacement still finds some pages up to three times its entries. All points if too few are left,
// or if they cost less: then a cache ends there.
std::vector<std::size_t> settled(const Plateau& above, double entries,
                                 std::span<const Extra> extra) {
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return extra[i].pages < kTlb.settled * entries; });
  const bool settles = points.size() >= kTlb.fewest_settled &&
                       level_of(points, extra) >= level_of(above.points, extra);
  return settles ? points : above.points;
}

// The points of the plateau above an edge where it begins: they show the cost of a page that misses
// there. Farther on it costs more, because page tables leave one cache after the other.
std::vector<std::size_t> near_begin(const Plateau& above, std::span<const Extra> extra) {
  const double end = extra[above.points.front()].pages * kTlb.near_begin;
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return extra[i].pages > end; });
  return points;
}

// Half-width of the interval of the median over these lists. It is not narrower than that of a
// single list: the bias, and other causes that make two lists differ, may be common to all.
double ci95_of(std::span<const std::size_t> points, std::span<const Extra> extra) {
  std::vector<double> sigmas;
  double squares = 0;
  for (const std::size_t i : points) {
    sigmas.push_back(extra[i].sigma);
    squares += extra[i].sigma * extra[i].sigma;
  }
  const double of_median =
      std::sqrt(kMedianVariance * squares) / static_cast<double>(points.size());
  return kTwoSided95 * std::max(median(sigmas), of_median);
}

double share_above(const ListLatency& list, double cycles) {
  return list.sample->singles.share_above(list.size.bias_ticks + cycles / list.to_usual_clock /
                                                                     list.sample->cycles_per_tick);
}

// Whether nearly all loads of a list take `cycles`, to within `more`.
bool is_plain(const ListLatency& list, double cycles, double more) {
  return !list.sample->singles.empty() &&
         1 - share_above(list, cycles - more) + share_above(list, cycles + more) < kTlb.few_others;
}

// The share of loads that missed the level that adds `low`, and cost `high`. It is counted from
// single loads if they can be told apart by the TLB alone: a typical load jumps from one cost to
// the other, and a block may do so at another size. Otherwise the share follows from the cost.
SharePoint miss_share(const Extra& extra, double low, double high) {
  const double pages = std::log2(extra.pages);
  const ListLatency& list = extra.list;
  const Control& control = extra.control;
  const double rise = high - low;
  const double step = list.sample->step * list.sample->cycles_per_tick;
  const double hit = control.cycles + low;
  // Walks differ, and the shortest one is much shorter than a typical one.
  const double more = std::min(
      rise / 2, std::max({kTlb.walk_cycles, kTlb.walk_steps * step, kTlb.walk_share * hit}));
  if (rise < 2 * std::max(kTlb.walk_cycles, kTlb.walk_steps * step) ||
      list.sample->singles.empty() || !is_plain(*control.below, control.cycles, rise / 2) ||
      !is_plain(*control.above, control.cycles, rise / 2))
    return {pages, std::clamp((extra.cycles - low) / rise, 0.0, 1.0),
            std::max(kTlb.least_share_error, extra.sigma / rise)};
  const double share = share_above(list, hit + more);
  const auto total = static_cast<double>(list.sample->singles.total());
  return {pages, share, std::max(kTlb.least_share_error, std::sqrt(share * (1 - share) / total))};
}

std::optional<Crossing> edge_between(const Plateau& below, const Plateau& above, double low,
                                     double high, std::span<const Extra> extra) {
  std::vector<SharePoint> shares;
  for (std::size_t i = below.points.front(); i <= above.points.back(); ++i)
    shares.push_back(miss_share(extra[i], low, high));
  return half_crossing(near_least(shares, kTlb.disturbed_more));
}

void find_levels(std::span<const Extra> extra, double l1_cycles, std::uint64_t page_bytes,
                 std::vector<TlbTier>& tlb) {
  // On a logarithmic scale of a load's latency, so that a rise is a ratio.
  std::vector<CurvePoint> curve;
  for (const Extra& e : extra) {
    const double load = std::max(l1_cycles + e.cycles, l1_cycles / 2);
    curve.push_back({std::log2(e.pages), std::log(load), e.sigma / load});
  }
  const std::vector<Plateau> plateaus = find_plateaus(
      curve, {.least_rise = std::log(kTlb.least_ratio), .least_span = kTlb.least_octaves});
  if (plateaus.empty()) return;
  std::vector<std::size_t> below = plateaus.front().points;
  const double base = level_of(below, extra);
  const double base_ci95 = ci95_of(below, extra);
  for (std::size_t k = 0; k + 1 < plateaus.size() && k < kTlb.most_levels; ++k) {
    const Plateau& above = plateaus[k + 1];
    const double low = level_of(below, extra);
    const auto edge_to = [&](std::span<const std::size_t> points) {
      return edge_between(plateaus[k], above, low, level_of(points, extra), extra);
    };
    below = above.points;
    if (const auto all = edge_to(below)) below = settled(above, std::exp2(all->x), extra);
    const auto edge = edge_to(near_begin(above, extra));
    if (!edge) continue;
    TlbTier tier;
    tier.name = k == 0 ? "L1 TLB" : "L2 TLB";
    tier.page_bytes = page_bytes;
    const Capacity reach = capacity_at(*edge, 0, false);
    tier.entries = reach.value;
    tier.entries_interval = reach.interval;
    tier.hit_extra_cycles = low - base;
    tier.miss_extra_cycles = level_of(below, extra) - base;
    tier.ci95_cycles = std::hypot(ci95_of(below, extra), base_ci95);
    tlb.push_back(std::move(tier));
  }
}

std::set<std::uint64_t> page_sizes_of(std::span<const SizeLatency> sizes) {
  std::set<std::uint64_t> found;
  for (const SizeLatency& size : sizes) found.insert(size.page_bytes);
  return found;
}

bool alone(const SizeLatency& size) {
  return usable(size, Layout::packed) && !size.core_shared;
}

double as_on(std::uint64_t page_bytes, std::span<const TlbTier> tlb, SizeLatency size) {
  size.page_bytes = size.tlb_page_bytes = page_bytes;
  return tlb_cycles(tlb, size);
}

// What packed lists on larger pages save, as a share of the TLB's cost on small pages: from pairs
// of lists of one size, if that cost is larger than their error. Only lists within the last level
// count: beyond it, walks for huge pages are shorter even if a hypervisor backs them with small
// ones.
std::vector<double> saved_beside(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
                                 std::span<const TlbTier> tlb) {
  const double walked =
      tlb.size() < kTlb.most_levels
          ? std::numeric_limits<double>::infinity()
          : kTlb.within * tlb.back().entries * static_cast<double>(tlb.back().page_bytes);
  std::vector<double> saved;
  for (const SizeLatency& small : sizes) {
    if (!alone(small) || small.page_bytes >= page_bytes) continue;
    if (static_cast<double>(small.bytes) > walked) continue;
    const double expected = tlb_cycles(tlb, small);
    for (const SizeLatency& large : sizes)
      if (alone(large) && large.page_bytes == page_bytes && large.bytes == small.bytes &&
          expected > std::max(kTlb.visible_cycles, std::hypot(small.ci95, large.ci95)))
        saved.push_back((small.cycles - large.cycles) / expected);
  }
  return saved;
}

// The same, from lists on large pages alone: some need a few more entries than the first level has,
// others a few less. They are usually in one level of the caches; if not, they differ by more than
// any TLB adds.
std::vector<double> saved_beyond_reach(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
                                       const TlbTier& first) {
  const double reach = first.entries * static_cast<double>(first.page_bytes);
  std::vector<double> within;
  for (const SizeLatency& size : sizes) {
    const double part = static_cast<double>(size.bytes) / reach;
    if (alone(size) && size.page_bytes == page_bytes && part > kTlb.from_within &&
        part < kTlb.within)
      within.push_back(size.cycles);
  }
  if (within.empty()) return {};
  const double usual = median(within);
  std::vector<double> saved;
  for (const SizeLatency& size : sizes) {
    const double part = static_cast<double>(size.bytes) / reach;
    const double expected = as_on(first.page_bytes, {&first, 1}, size);
    if (!alone(size) || size.page_bytes != page_bytes || part > kTlb.little_beyond ||
        expected < kTlb.visible_cycles)
      continue;
    saved.push_back(1 - (size.cycles - usual) / expected);
  }
  return saved;
}

// Whether lists on pages of this size cost the TLB as much as lists on smaller ones.
bool are_small(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
               std::span<const TlbTier> tlb) {
  if (tlb.empty() || tlb.front().page_bytes >= page_bytes) return false;
  if (auto saved = saved_beside(page_bytes, sizes, tlb); saved.size() >= kTlb.fewest_pairs)
    return std::fabs(median(saved)) < kTlb.no_cheaper;
  auto saved = saved_beyond_reach(page_bytes, sizes, tlb.front());
  return saved.size() >= kTlb.fewest_pairs && std::fabs(median(saved)) < kTlb.no_cheaper;
}

// The undisturbed lists of one layout, in cycles of the core's usual clock.
std::vector<ListLatency> lists_of(Layout layout, std::span<const LatencySample> samples,
                                  std::span<const SizeLatency> sizes, double core_hz) {
  std::vector<ListLatency> lists;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!usable(sizes[i], layout)) continue;
    const double factor = to_usual_clock(sizes[i], core_hz);
    lists.push_back({sizes[i], &samples[i], factor});
    lists.back().size.cycles *= factor;
  }
  return lists;
}

// One packed list of each size, by rising size: on the largest pages, where it depends least on the
// TLB.
std::vector<ListLatency> controls(std::span<const LatencySample> samples,
                                  std::span<const SizeLatency> sizes, double core_hz) {
  std::vector<ListLatency> packed = lists_of(Layout::packed, samples, sizes, core_hz);
  std::ranges::stable_sort(packed, [](const ListLatency& a, const ListLatency& b) {
    return a.size.bytes != b.size.bytes ? a.size.bytes < b.size.bytes
                                        : a.size.page_bytes > b.size.page_bytes;
  });
  const auto same = std::ranges::unique(packed, {}, bytes_of);
  packed.erase(same.begin(), same.end());
  return packed;
}

// Marks lists whose huge pages a hypervisor backs with small ones.
void find_backed_pages(std::span<const TlbTier> tlb, std::span<SizeLatency> sizes,
                       std::span<ListLatency> packed) {
  for (const std::uint64_t page_bytes : page_sizes_of(sizes)) {
    if (!are_small(page_bytes, sizes, tlb)) continue;
    for (SizeLatency& size : sizes)
      if (size.page_bytes == page_bytes) size.tlb_page_bytes = tlb.front().page_bytes;
    for (ListLatency& list : packed)
      if (list.size.page_bytes == page_bytes) list.size.tlb_page_bytes = tlb.front().page_bytes;
  }
}

}  // namespace

std::vector<TlbTier> find_tlb(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                              double core_hz) {
  for (SizeLatency& size : sizes) size.tlb_page_bytes = size.page_bytes;
  std::vector<ListLatency> packed = controls(samples, sizes, core_hz);
  if (packed.empty()) return {};
  const std::vector<ListLatency> spread = lists_of(Layout::spread, samples, sizes, core_hz);
  std::set<std::uint64_t> pages;
  for (const ListLatency& list : spread) pages.insert(list.size.page_bytes);
  const auto cycles_of = [](const ListLatency& list) { return list.size.cycles; };
  const double l1_cycles = cycles_of(std::ranges::min(packed, {}, cycles_of));
  const auto levels = [&] {
    std::vector<TlbTier> tlb;
    for (const std::uint64_t page_bytes : pages)
      find_levels(extras(spread, packed, page_bytes), l1_cycles, page_bytes, tlb);
    return tlb;
  };
  // Long controls miss the TLB a little themselves. The levels show how much, and it is subtracted.
  const std::vector<TlbTier> first = levels();
  find_backed_pages(first, sizes, packed);
  for (ListLatency& control : packed) control.size.cycles -= tlb_cycles(first, control.size);
  std::vector<TlbTier> tlb = levels();
  if (tlb.empty()) return tlb;
  const auto caches = [&](std::uint64_t bytes) {
    const auto control = control_at(packed, bytes);
    return control ? control->cycles : std::numeric_limits<double>::infinity();
  };
  if (auto second = second_tlb_level(samples, sizes, core_hz, tlb.front(), caches)) {
    tlb.resize(1);
    tlb.push_back(*std::move(second));
  }
  return tlb;
}

namespace {

// What misses add to a load. `share` is that of the loads that miss a level, from its entries and
// the pages.
double cost_of_misses(std::span<const TlbTier> tlb, const SizeLatency& size, const auto& share) {
  double cycles = 0;
  for (const TlbTier& tier : tlb) {
    if (tier.page_bytes != size.tlb_page_bytes) continue;
    const double pages = static_cast<double>(size.bytes) / static_cast<double>(tier.page_bytes);
    cycles += share(tier.entries, pages) * (tier.miss_extra_cycles - tier.hit_extra_cycles);
    if (size.tlb_page_bytes != size.page_bytes) break;  // a walk for a huge page may be shorter
  }
  return cycles;
}

}  // namespace

double tlb_cycles(std::span<const TlbTier> tlb, const SizeLatency& size) {
  return cost_of_misses(
      tlb, size, [](double entries, double pages) { return std::max(0.0, 1 - entries / pages); });
}

double tlb_most_cycles(std::span<const TlbTier> tlb, const SizeLatency& size) {
  return cost_of_misses(tlb, size,
                        [](double entries, double pages) { return pages > entries ? 1.0 : 0.0; });
}

}  // namespace tacho
