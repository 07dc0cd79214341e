// The TLB from spread and packed lists: differences, their plateaus, and the edges between them.
#include "latency/inference/tlb.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "latency/inference/capacity.hpp"
#include "latency/inference/repeated.hpp"
#include "latency/inference/size.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostLevels = 2;  // beyond, page tables leave the caches: no TLB of its own
constexpr double kPairDiffers = 0.4;    // cycles, with nothing to tell the pair's lists apart
constexpr double kWalksDiffer = 0.05;   // of what a page costs
constexpr double kMeansDiffer = 0.08;   // likewise: of blocks, with what some loads pay
constexpr double kLeastMissError = 0.02;
constexpr double kPageMissesMore = 0.1;  // a share that nothing but a disturbance adds
constexpr PlateauRules kReachRules{.least_rise = 0.4,
                                   .least_span = 0.7};  // ln 1.5; log2 1.6 of pages

constexpr double kTold = 1.5;       // cycles: by so much small pages have to cost more
constexpr double kNoCheaper = 0.5;  // of that is saved by huge pages that are none
constexpr std::size_t kFewestPairs = 2;
constexpr double kNotFarWithin = 0.4;  // times the first level's reach; so are
constexpr double kWithin = 0.9;
constexpr double kLittleBeyond = 2;

// Of a single load, over one that hits: cycles, steps of the clock, a part of what it takes.
constexpr double kWalksMore = 10;
constexpr double kWalksMoreSteps = 1.5;
constexpr double kWalksMorePart = 0.15;
constexpr double kFewOthers = 0.2;  // loads of a packed list that take another time than most

constexpr double kNearBegin = 1.75;  // times where a plateau begins
constexpr double kSettled = 1.5;     // times an edge
constexpr std::size_t kFewestSettled = 3;

// A list that was measured, in cycles of the core's usual clock.
struct List {
  SizeLatency size;
  const LatencySample* sample = nullptr;
  double to_usual_clock = 1;
};

// The packed list of so many bytes, between the two measured next to it.
struct Control {
  double cycles = 0;
  double ci95 = 0;
  const List* below = nullptr;
  const List* above = nullptr;
};

// What pages cost beside lines: a spread list less the packed list of as many lines.
struct Extra {
  double pages = 0;
  double cycles = 0;
  double sigma = 0;
  List list;
  Control control;
};

bool usable(const SizeLatency& size, Layout layout) {
  return size.layout == layout && !size.disturbed;
}

std::uint64_t bytes_of(const List& list) {
  return list.size.bytes;
}

std::optional<Control> control_at(std::span<const List> packed, std::uint64_t bytes) {
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

std::vector<Extra> extras(std::span<const List> spread, std::span<const List> packed,
                          std::uint64_t page_bytes) {
  std::vector<Extra> found;
  for (const List& list : spread) {
    const SizeLatency& size = list.size;
    if (size.page_bytes != page_bytes) continue;
    const auto control = control_at(packed, size.bytes);
    if (!control) continue;
    const double cycles = size.cycles - control->cycles;
    const double error = std::hypot(size.ci95, control->ci95) / kTwoSided95;
    found.push_back(
        {static_cast<double>(size.lines), cycles,
         std::hypot(error, kPairDiffers, (size.from_blocks ? kMeansDiffer : kWalksDiffer) * cycles),
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

// The points of the plateau above an edge where the level has been reached: a little beyond it some
// pages are still found, of a TLB that replaces at random up to three times its size. All of the
// plateau where too few are left, or where they cost less: then it is a cache that ends there.
std::vector<std::size_t> settled(const Plateau& above, double entries,
                                 std::span<const Extra> extra) {
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return extra[i].pages < kSettled * entries; });
  const bool told =
      points.size() >= kFewestSettled && level_of(points, extra) >= level_of(above.points, extra);
  return told ? points : above.points;
}

// The points of the plateau above an edge where it begins: what a page costs that misses there.
// Farther on it costs more, as the page tables leave ever more caches.
std::vector<std::size_t> near_begin(const Plateau& above, std::span<const Extra> extra) {
  const double end = extra[above.points.front()].pages * kNearBegin;
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return extra[i].pages > end; });
  return points;
}

// Of the median over sizes, and no less than what a single size is known to: what tells two lists
// apart, and the bias, may be common to all.
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

double share_above(const List& list, double cycles) {
  return list.sample->singles.share_above(list.size.bias_ticks + cycles / list.to_usual_clock /
                                                                     list.sample->cycles_per_tick);
}

// Whether nearly all loads of a list take `cycles`, give or take `more`.
bool is_plain(const List& list, double cycles, double more) {
  return !list.sample->singles.empty() &&
         1 - share_above(list, cycles - more) + share_above(list, cycles + more) < kFewOthers;
}

// The share of loads that missed the level that adds `low`, and paid `high`: of single loads, where
// those can be told apart and no cache tells them apart, too. A typical load jumps from one cost to
// the other, and a block may do so at another size. Otherwise, the share is what the cost makes it.
SharePoint miss_share(const Extra& extra, double low, double high) {
  const double pages = std::log2(extra.pages);
  const List& list = extra.list;
  const Control& control = extra.control;
  const double rise = high - low;
  const double step = list.sample->step * list.sample->cycles_per_tick;
  const double hit = control.cycles + low;
  // Walks differ, and the shortest is a good deal shorter than a typical one.
  const double more =
      std::min(rise / 2, std::max({kWalksMore, kWalksMoreSteps * step, kWalksMorePart * hit}));
  if (rise < 2 * std::max(kWalksMore, kWalksMoreSteps * step) || list.sample->singles.empty() ||
      !is_plain(*control.below, control.cycles, rise / 2) ||
      !is_plain(*control.above, control.cycles, rise / 2))
    return {pages, std::clamp((extra.cycles - low) / rise, 0.0, 1.0),
            std::max(kLeastMissError, extra.sigma / rise)};
  const double share = share_above(list, hit + more);
  const auto total = static_cast<double>(list.sample->singles.total());
  return {pages, share, std::max(kLeastMissError, std::sqrt(share * (1 - share) / total))};
}

std::optional<Crossing> edge_between(const Plateau& below, const Plateau& above, double low,
                                     double high, std::span<const Extra> extra) {
  std::vector<SharePoint> shares;
  for (std::size_t i = below.points.front(); i <= above.points.back(); ++i)
    shares.push_back(miss_share(extra[i], low, high));
  return half_crossing(near_least(shares, kPageMissesMore));
}

void find_levels(std::span<const Extra> extra, double l1_cycles, std::uint64_t page_bytes,
                 std::vector<TlbTier>& tlb) {
  // On the scale of what a load takes, ln (1 + extra / L1), so that a rise is a ratio.
  std::vector<CurvePoint> curve;
  for (const Extra& e : extra) {
    const double load = std::max(l1_cycles + e.cycles, l1_cycles / 2);
    curve.push_back({std::log2(e.pages), std::log(load), e.sigma / load});
  }
  const std::vector<Plateau> plateaus = find_plateaus(curve, kReachRules);
  if (plateaus.empty()) return;
  std::vector<std::size_t> below = plateaus.front().points;
  const double base = level_of(below, extra);
  const double base_ci95 = ci95_of(below, extra);
  for (std::size_t k = 0; k + 1 < plateaus.size() && k < kMostLevels; ++k) {
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

// What lists on larger pages save, as a part of what the TLB makes small ones pay: of packed lists
// of one size on both, where that is well more than the two are uncertain by. Only of lists that
// the last level found still holds: a walk for a huge page is shorter, whoever made it of small
// ones.
std::vector<double> saved_beside(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
                                 std::span<const TlbTier> tlb) {
  const double walked = tlb.size() < kMostLevels ? std::numeric_limits<double>::infinity()
                                                 : kWithin * tlb.back().entries *
                                                       static_cast<double>(tlb.back().page_bytes);
  std::vector<double> saved;
  for (const SizeLatency& small : sizes) {
    if (!alone(small) || small.page_bytes >= page_bytes) continue;
    if (static_cast<double>(small.bytes) > walked) continue;
    const double expected = tlb_cycles(tlb, small);
    for (const SizeLatency& large : sizes)
      if (alone(large) && large.page_bytes == page_bytes && large.bytes == small.bytes &&
          expected > std::max(kTold, std::hypot(small.ci95, large.ci95)))
        saved.push_back((small.cycles - large.cycles) / expected);
  }
  return saved;
}

// The same, of lists a little beyond what the TLB reaches with small pages, beside lists a little
// within: in one tier, as a rule. Where it is not, they differ by more than any TLB adds.
std::vector<double> saved_beyond_reach(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
                                       const TlbTier& first) {
  const double reach = first.entries * static_cast<double>(first.page_bytes);
  std::vector<double> within;
  for (const SizeLatency& size : sizes) {
    const double part = static_cast<double>(size.bytes) / reach;
    if (alone(size) && size.page_bytes == page_bytes && part > kNotFarWithin && part < kWithin)
      within.push_back(size.cycles);
  }
  if (within.empty()) return {};
  const double usual = median(within);
  std::vector<double> saved;
  for (const SizeLatency& size : sizes) {
    const double part = static_cast<double>(size.bytes) / reach;
    const double expected = as_on(first.page_bytes, {&first, 1}, size);
    if (!alone(size) || size.page_bytes != page_bytes || part > kLittleBeyond || expected < kTold)
      continue;
    saved.push_back(1 - (size.cycles - usual) / expected);
  }
  return saved;
}

// Whether lists on pages of this size pay the TLB what those on smaller ones do.
bool are_small(std::uint64_t page_bytes, std::span<const SizeLatency> sizes,
               std::span<const TlbTier> tlb) {
  if (tlb.empty() || tlb.front().page_bytes >= page_bytes) return false;
  if (auto saved = saved_beside(page_bytes, sizes, tlb); saved.size() >= kFewestPairs)
    return std::fabs(median(saved)) < kNoCheaper;
  auto saved = saved_beyond_reach(page_bytes, sizes, tlb.front());
  return saved.size() >= kFewestPairs && std::fabs(median(saved)) < kNoCheaper;
}

}  // namespace

std::vector<TlbTier> find_tlb(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                              double core_hz) {
  std::vector<List> packed;
  std::set<std::uint64_t> pages;
  std::vector<List> spread;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i].tlb_page_bytes = sizes[i].page_bytes;
    const double factor = to_usual_clock(sizes[i], core_hz);
    List list{sizes[i], &samples[i], factor};
    list.size.cycles *= factor;
    if (usable(list.size, Layout::packed)) packed.push_back(list);
    if (!usable(list.size, Layout::spread)) continue;
    spread.push_back(list);
    pages.insert(list.size.page_bytes);
  }
  // The larger the pages of a control, the less the TLB has to do with it.
  std::ranges::stable_sort(packed, [](const List& a, const List& b) {
    return a.size.bytes != b.size.bytes ? a.size.bytes < b.size.bytes
                                        : a.size.page_bytes > b.size.page_bytes;
  });
  const auto same = std::ranges::unique(packed, {}, bytes_of);
  packed.erase(same.begin(), same.end());

  if (packed.empty()) return {};
  const auto cycles_of = [](const List& list) { return list.size.cycles; };
  const double l1_cycles = cycles_of(std::ranges::min(packed, {}, cycles_of));
  const auto levels = [&] {
    std::vector<TlbTier> tlb;
    for (const std::uint64_t page_bytes : pages)
      find_levels(extras(spread, packed, page_bytes), l1_cycles, page_bytes, tlb);
    return tlb;
  };
  // Long controls pay the TLB a little themselves: known once the levels are, and then taken off.
  const std::vector<TlbTier> first = levels();
  const auto as_small = [&](SizeLatency& size) { size.tlb_page_bytes = first.front().page_bytes; };
  for (const std::uint64_t page_bytes : page_sizes_of(sizes)) {
    if (!are_small(page_bytes, sizes, first)) continue;
    for (SizeLatency& size : sizes)
      if (size.page_bytes == page_bytes) as_small(size);
    for (List& list : packed)
      if (list.size.page_bytes == page_bytes) as_small(list.size);
  }
  for (List& control : packed) control.size.cycles -= tlb_cycles(first, control.size);
  std::vector<TlbTier> tlb = levels();
  if (tlb.empty()) return tlb;
  const auto caches = [&](std::uint64_t bytes) {
    const auto control = control_at(packed, bytes);
    return control ? control->cycles : std::numeric_limits<double>::infinity();
  };
  if (auto second = second_level(samples, sizes, core_hz, tlb.front(), caches)) {
    tlb.resize(1);
    tlb.push_back(*std::move(second));
  }
  return tlb;
}

namespace {

// `share` of a level's entries and the pages: of the loads that pay what a miss there costs.
double paid(std::span<const TlbTier> tlb, const SizeLatency& size, const auto& share) {
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
  return paid(tlb, size,
              [](double entries, double pages) { return std::max(0.0, 1 - entries / pages); });
}

double tlb_most_cycles(std::span<const TlbTier> tlb, const SizeLatency& size) {
  return paid(tlb, size, [](double entries, double pages) { return pages > entries ? 1.0 : 0.0; });
}

}  // namespace tacho
