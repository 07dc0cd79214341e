#include "latency/inference/tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <set>

#include "base/number.hpp"
#include "latency/inference/capacity.hpp"
#include "latency/inference/curve.hpp"
#include "latency/inference/filled_caches.hpp"
#include "latency/inference/level_names.hpp"
#include "latency/inference/list_latency.hpp"
#include "latency/inference/rules.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

constexpr const TierRules& kTiers = kLatencyRules.tier;
constexpr const MissRules& kMisses = kLatencyRules.miss;

PlateauRules plateau_rules() {
  return {.least_rise = std::log(kTiers.least_ratio), .least_span = kTiers.least_octaves};
}

// The share of loads that missed the faster of two levels. A single load missed if it took twice as
// long as a hit, and longer than the clock and the TLB can explain, or if it took more than the
// middle between the levels: a miss may have been found on the way to the slower level. If single
// loads can't be told apart, the share follows from the mean of the blocks.
SharePoint miss_share(const LatencyPoint& point, const LatencySample& sample,
                      const SizeLatency& size, double low, double high) {
  const double surely =
      std::max({kMisses.surely_cycles, kMisses.surely_steps * sample.step * sample.cycles_per_tick,
                kMisses.surely_tlb * point.tlb_most_cycles});
  if (sample.singles.empty() || high - low < 2 * surely) {
    double cycles = point.cycles;
    if (const auto average = block_cycles(sample, size.bias_ticks); average && !point.by_blocks)
      cycles = *average * point.cycles / size.cycles;
    const double share = std::clamp((cycles - low) / (high - low), 0.0, 1.0);
    return {point.log_bytes, share,
            std::max(kMisses.least_error, size.ci95 / kTwoSided95 / (high - low))};
  }
  const double more = std::min((high - low) / 2, std::max(low, surely));
  const double split = size.bias_ticks + (low + more) / sample.cycles_per_tick;
  const double share = sample.singles.share_above(split);
  const auto total = static_cast<double>(sample.singles.total());
  return {point.log_bytes, share,
          std::max(kMisses.least_error, std::sqrt(share * (1 - share) / total))};
}

// The weighted median.
double median_of(const LatencyCurve& curve, std::span<const std::size_t> points) {
  std::vector<std::size_t> sorted(points.begin(), points.end());
  std::ranges::sort(sorted, {}, [&](std::size_t i) { return curve.points[i].cycles; });
  double left = 0;
  for (const std::size_t i : sorted) left += curve.points[i].weight / 2;
  for (const std::size_t i : sorted)
    if ((left -= curve.points[i].weight) <= 0) return curve.points[i].cycles;
  return 0;  // there are no points
}

std::vector<double> levels_of(std::span<const Plateau> plateaus, const LatencyCurve& curve) {
  std::vector<double> cycles;
  for (const Plateau& plateau : plateaus) cycles.push_back(median_of(curve, plateau.points));
  return cycles;
}

std::optional<Crossing> edge_between(const LatencyCurve& curve, const Plateau& below,
                                     const Plateau& above, double low, double high) {
  std::vector<SharePoint> shares;
  std::vector<Bounds> values;
  for (std::size_t i = below.points.front(); i <= above.points.back(); ++i) {
    LatencyPoint point = curve.points[i];
    const LatencySample& sample = curve.samples[point.at];
    const SizeLatency& size = curve.sizes[point.at];
    shares.push_back(miss_share(point, sample, size, low, high));
    point.cycles = point.usual_cycles;
    values.push_back(
        between(shares.back().share, miss_share(point, sample, size, low, high).share));
  }
  const std::vector<bool> disturbed = stands_out(values, 1, kMisses.disturbed_more);
  std::vector<SharePoint> kept;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (!disturbed[i]) kept.push_back(shares[i]);
  // A sample that missed far more than the best one of the same list met other work.
  return half_crossing(near_least(kept, kMisses.disturbed_more));
}

// The cost of a load that misses at the edge: that of the slower level where it begins, from lists
// that had the core for themselves if there are any. Farther on it may cost more, because some
// loads miss that level too.
double near_end(const Plateau& above, const LatencyCurve& curve) {
  const double end = curve.points[above.points.front()].log_bytes + kMisses.near_end_octaves;
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return curve.points[i].log_bytes > end; });
  std::vector<std::size_t> alone = points;
  std::erase_if(alone, [&](std::size_t i) { return curve.sizes[curve.points[i].at].core_shared; });
  return median_of(curve, alone.empty() ? points : alone);
}

// The typical error of these lists, as a share of their latency.
double uncertainty(const LatencyCurve& curve, std::span<const std::size_t> points) {
  std::vector<double> parts;
  for (const std::size_t i : points) {
    const SizeLatency& size = curve.sizes[curve.points[i].at];
    parts.push_back(size.ci95 / size.cycles);
  }
  return median(parts);
}

// A level may slope, because more and more loads miss it. So there must be a step between two
// levels, larger than the uncertainty of its two sides. Without a step, both are one level.
std::vector<Plateau> without_slopes(std::vector<Plateau> plateaus, const LatencyCurve& curve) {
  std::vector<Plateau> kept;
  for (Plateau& plateau : plateaus) {
    if (!kept.empty()) {
      std::vector<std::size_t>& below = kept.back().points;
      const std::span<const std::size_t> end =
          std::span(below).last(std::min(kTiers.end_lists, below.size()));
      const std::span<const std::size_t> begin =
          std::span(plateau.points).first(std::min(kTiers.end_lists, plateau.points.size()));
      const double step = std::log(median_of(curve, begin) / median_of(curve, end));
      if (step < std::max(std::log(kTiers.least_step),
                          std::hypot(uncertainty(curve, end), uncertainty(curve, begin)))) {
        below.insert(below.end(), plateau.points.begin(), plateau.points.end());
        continue;
      }
    }
    kept.push_back(std::move(plateau));
  }
  return kept;
}

// A shared cache has a long slope, and so has a cache that keeps some lines of a list that is too
// long for it. A part of a slope can look like a level. If there are more levels than advertised
// caches and memory, the two that are least apart become one, while they are near each other.
std::vector<Plateau> without_unadvertised(std::vector<Plateau> plateaus, const LatencyCurve& curve,
                                          const Advertised& advertised) {
  while (!advertised.caches.empty() && plateaus.size() > advertised.caches.size() + 1) {
    std::vector<double> steps;
    for (std::size_t k = 0; k + 1 < plateaus.size(); ++k)
      steps.push_back(std::log(median_of(curve, plateaus[k + 1].points) /
                               median_of(curve, plateaus[k].points)));
    const auto least = std::ranges::min_element(steps);
    if (*least >= std::log(kTiers.unadvertised_ratio)) break;
    const auto below = plateaus.begin() + (least - steps.begin());
    const auto above = std::next(below);
    below->points.insert(below->points.end(), above->points.begin(), above->points.end());
    plateaus.erase(above);
  }
  return plateaus;
}

// A cache that was filled ends where it was full. If the next level begins far behind that size,
// another level is between them, too short for a plateau: the lists there that are near their
// median.
std::vector<Plateau> with_levels_behind(std::vector<Plateau> plateaus, const LatencyCurve& curve,
                                        std::span<const FilledCapacity> filled_caches,
                                        const Advertised& advertised) {
  for (const FilledCapacity& each : filled_caches) {
    if (!advertised.caches.empty() && plateaus.size() > advertised.caches.size()) break;
    const auto filled = filled_level(each, levels_of(plateaus, curve));
    if (!filled || *filled + 1 == plateaus.size()) continue;
    Plateau& below = plateaus[*filled];
    const Plateau& above = plateaus[*filled + 1];
    const double end = std::log2(each.bytes);
    if (curve.points[above.points.front()].log_bytes < end + kTiers.least_octaves) continue;
    std::vector<std::size_t> between;
    const double from = end + kTiers.behind_filled_octaves;
    for (std::size_t i = below.points.front(); i < above.points.front(); ++i)
      if (curve.points[i].log_bytes > from) between.push_back(i);
    if (between.empty()) continue;
    const double level = median_of(curve, between);
    std::erase_if(between, [&](std::size_t i) {
      return std::fabs(std::log(curve.points[i].cycles / level)) >
             std::log(kTiers.same_level_ratio);
    });
    std::set<double> sizes;
    for (const std::size_t i : between) sizes.insert(curve.points[i].log_bytes);
    if (sizes.size() < PlateauRules().fewest ||
        level < kTiers.least_ratio * median_of(curve, below.points) ||
        median_of(curve, above.points) < kTiers.least_ratio * level)
      continue;
    std::erase_if(below.points, [&](std::size_t i) { return curve.points[i].log_bytes > from; });
    plateaus.insert(plateaus.begin() + static_cast<std::ptrdiff_t>(*filled) + 1,
                    {std::log(level), std::move(between)});
  }
  return plateaus;
}

Tier tier_of(const Plateau& plateau, const LatencyCurve& curve, double core_hz) {
  std::vector<double> ci95, tlb_cycles;
  for (const std::size_t i : plateau.points) {
    ci95.push_back(curve.sizes[curve.points[i].at].ci95);
    tlb_cycles.push_back(curve.points[i].tlb_cycles);
  }
  Tier tier;
  tier.sizes = ci95.size();
  tier.least_bytes = std::exp2(curve.points[plateau.points.front()].log_bytes);
  tier.most_bytes = std::exp2(curve.points[plateau.points.back()].log_bytes);
  tier.cycles = median_of(curve, plateau.points);
  tier.ns = tier.cycles / core_hz * 1e9;  // the curve is in cycles of that clock
  // The interval of the median over as many lists as their weights make (L. Kish, Survey Sampling,
  // 1965). It is not narrower than that of the loads of a single list, because the clock's step may
  // move all lists alike. About half of the variance of a list is that of its bias, which was drawn
  // anew for each list: it is in the spread.
  double weights = 0, weights_squared = 0, squares = 0;
  for (const std::size_t i : plateau.points) {
    const LatencyPoint& point = curve.points[i];
    weights += point.weight;
    weights_squared += point.weight * point.weight;
    squares += point.weight * (point.cycles - tier.cycles) * (point.cycles - tier.cycles);
  }
  const double free = std::max(weights * weights / weights_squared - 1, 1.0);
  tier.ci95_cycles = std::hypot(
      std::max(median(ci95) / std::numbers::sqrt2,
               student_t95(free) * std::sqrt(kMedianVariance * squares / weights / free)),
      kTwoSided95 * kLatencyRules.tlb.walks_differ * median(tlb_cycles));
  for (const std::size_t i : plateau.points)
    if (curve.points[i].tlb_cycles > kTiers.tlb_subtracted * tier.cycles)
      tier.tlb_subtracted = true;
  return tier;
}

void add_small_page_costs(const LatencyCurve& curve, std::span<const Plateau> plateaus,
                          double core_hz, std::vector<Tier>& tiers) {
  for (std::size_t k = 0; k < tiers.size(); ++k) {
    const double from = k == 0 ? 0 : tiers[k - 1].capacity_bytes * kTiers.clear_of_edges;
    const double to = tiers[k].capacity ? tiers[k].capacity_bytes / kTiers.clear_of_edges
                                        : std::numeric_limits<double>::infinity();
    std::vector<double> extra;
    const auto usual = [&](const SizeLatency& size) {
      return size.cycles * to_usual_clock(size, core_hz);
    };
    for (const std::size_t i : plateaus[k].points) {
      const SizeLatency& large = curve.sizes[curve.points[i].at];
      const auto bytes = static_cast<double>(large.bytes);
      if (bytes < from || bytes > to) continue;
      for (const SizeLatency& small : curve.sizes)
        if (small.layout == Layout::packed && !small.disturbed && small.bytes == large.bytes &&
            small.page_bytes < large.page_bytes)
          extra.push_back(usual(small) - usual(large));
    }
    if (!extra.empty()) tiers[k].small_pages_extra_cycles = median(extra);
  }
}

// Levels from the curve and from filled caches.
std::vector<Plateau> levels_in(const LatencyCurve& curve,
                               std::span<const FilledCapacity> filled_caches,
                               const Advertised& advertised) {
  std::vector<CurvePoint> points;
  for (const LatencyPoint& point : curve.points)
    points.push_back(
        {point.log_bytes, std::log(point.cycles), point.sigma / point.cycles, point.weight});
  std::vector<Plateau> plateaus = without_slopes(find_plateaus(points, plateau_rules()), curve);
  plateaus = without_unadvertised(std::move(plateaus), curve, advertised);
  return with_levels_behind(std::move(plateaus), curve, filled_caches, advertised);
}

// The advertised cache nearest to an edge, which says how many lines a set holds. Null: none is
// near.
const AdvertisedCache* cache_at(const Crossing& edge, const Advertised& advertised) {
  const AdvertisedCache* cache = nullptr;
  for (const AdvertisedCache& each : advertised.caches)
    if (std::fabs(std::log2(static_cast<double>(each.bytes)) - edge.x) <
        kTiers.nearest_cache_octaves)
      cache = &each;
  return cache;
}

void set_capacities(const LatencyCurve& curve, std::span<const Plateau> plateaus,
                    std::span<const FilledCapacity> filled_caches, const Advertised& advertised,
                    std::vector<Tier>& tiers) {
  for (std::size_t k = 0; k + 1 < tiers.size(); ++k) {
    const auto edge = edge_between(curve, plateaus[k], plateaus[k + 1], tiers[k].cycles,
                                   near_end(plateaus[k + 1], curve));
    if (!edge) continue;
    const AdvertisedCache* const cache = cache_at(*edge, advertised);
    const unsigned ways = cache != nullptr ? cache->ways : 0;
    const bool orderly = cache != nullptr && kTiers.least_page_bytes * ways >= cache->bytes;
    const Capacity capacity = capacity_at(*edge, ways, orderly);
    tiers[k].capacity_bytes = capacity.value;
    tiers[k].capacity = capacity.interval;
  }
  for (const FilledCapacity& each : filled_caches) {
    const auto filled = filled_level(each, levels_of(plateaus, curve));
    if (!filled || *filled + 1 == tiers.size()) continue;
    tiers[*filled].capacity_bytes = each.bytes;
    tiers[*filled].capacity = each.interval;
  }
}

}  // namespace

std::vector<Tier> find_tiers(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                             std::span<const TlbTier> tlb, std::span<const CacheFill> fills,
                             const Advertised& advertised, double core_hz,
                             std::vector<std::string>& warnings) {
  const LatencyCurve curve = latency_curve(samples, sizes, tlb, core_hz);
  const std::vector<FilledCapacity> filled_caches = filled_capacities(fills);
  const std::vector<Plateau> plateaus = levels_in(curve, filled_caches, advertised);
  if (plateaus.empty()) {
    warnings.push_back(fmt::format(
        "{} {} no level: a level needs {} lists of nearly the same latency whose sizes span a "
        "factor of {:.1f}",
        plural(curve.points.size(), "undisturbed list", {}),
        curve.points.size() == 1 ? "shows" : "show", PlateauRules().fewest,
        std::exp2(kTiers.least_octaves)));
    return {};
  }
  std::vector<Tier> tiers;
  for (const Plateau& plateau : plateaus) tiers.push_back(tier_of(plateau, curve, core_hz));
  set_capacities(curve, plateaus, filled_caches, advertised, tiers);
  add_small_page_costs(curve, plateaus, core_hz, tiers);
  name_tiers(tiers, advertised, std::exp2(curve.points.front().log_bytes),
             std::exp2(curve.points.back().log_bytes), warnings);
  return tiers;
}

}  // namespace tacho
