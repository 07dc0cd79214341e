// Tiers: plateaus of the latency over size, and the edges between them.
#include "latency/inference/tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "base/number.hpp"
#include "latency/inference/capacity.hpp"
#include "latency/inference/curve.hpp"
#include "latency/inference/filled_caches.hpp"
#include "latency/inference/size.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"
#include "stats/quantile.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

// ln 1.4; log2 1.9 of bytes: a tier less different or less wide is not told from its neighbour.
constexpr PlateauRules kTierRules{.least_rise = 0.336, .least_span = 0.9};
constexpr std::uint64_t kLeastPage = 4096;
constexpr double kMissesMore = 0.25;  // a share that nothing but a disturbance adds
constexpr double kSurelyMore = 20;    // cycles, of a single load over another
constexpr double kSurelySteps = 1.5;  // of the clock, likewise
constexpr double kSurelyTlb = 1.5;    // of what the TLB may add, likewise
constexpr double kLeastShareError = 0.03;
constexpr double kNearEnd = 0.8;     // log2 of bytes: of a tier, from its first size on
constexpr double kLeastStep = 0.13;  // ln 1.14: less between the ends of two tiers is a slope
constexpr std::size_t kEndPoints = 3;
constexpr double kUnadvertisedStep = 0.693;  // ln 2, see without_unadvertised
constexpr double kBehindFilled = 0.3;        // log2 of bytes: still some lines of a list are found
constexpr double kAsFilled = 0.262;          // ln 1.3
// Sets fill differently on pages of different sizes: near an edge, that is the difference.
constexpr double kClearOfEdges = 1.5;

// The share of loads that missed the faster of two tiers. A single load missed when it took twice
// as long as a hit (and well longer than the clock and the TLB can account for), or more than the
// middle between the tiers: what missed may have been found on the way to the slower one. Where
// that can't be told, the share is what the mean of the blocks makes it.
SharePoint miss_share(const LatencyPoint& point, const LatencySample& sample,
                      const SizeLatency& size, double low, double high) {
  const double surely = std::max({kSurelyMore, kSurelySteps * sample.step * sample.cycles_per_tick,
                                  kSurelyTlb * point.tlb_most_cycles});
  if (sample.singles.empty() || high - low < 2 * surely) {
    double cycles = point.cycles;
    if (const auto average = block_cycles(sample, size.bias_ticks); average && !point.by_blocks)
      cycles = *average * point.cycles / size.cycles;
    const double share = std::clamp((cycles - low) / (high - low), 0.0, 1.0);
    return {point.log_bytes, share,
            std::max(kLeastShareError, size.ci95 / kTwoSided95 / (high - low))};
  }
  const double more = std::min((high - low) / 2, std::max(low, surely));
  const double split = size.bias_ticks + (low + more) / sample.cycles_per_tick;
  const double share = sample.singles.share_above(split);
  const auto total = static_cast<double>(sample.singles.total());
  return {point.log_bytes, share,
          std::max(kLeastShareError, std::sqrt(share * (1 - share) / total))};
}

// The median, each size for what it stands for.
double median_of(const LatencyCurve& curve, std::span<const std::size_t> points) {
  std::vector<std::size_t> sorted(points.begin(), points.end());
  std::ranges::sort(sorted, {}, [&](std::size_t i) { return curve.points[i].cycles; });
  double left = 0;
  for (const std::size_t i : sorted) left += curve.points[i].weight / 2;
  for (const std::size_t i : sorted)
    if ((left -= curve.points[i].weight) <= 0) return curve.points[i].cycles;
  return 0;  // of none
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
  const std::vector<bool> disturbed = stands_out(values, 1, kMissesMore);
  std::vector<SharePoint> kept;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (!disturbed[i]) kept.push_back(shares[i]);
  // Of one list measured several times, what missed far more than at its best met a neighbour.
  return half_crossing(near_least(kept, kMissesMore));
}

// What a load costs that misses at the edge: what the slower tier costs where it begins, had alone
// if it was. Farther on it may cost more, as some loads miss that tier, too.
double near_end(const Plateau& above, const LatencyCurve& curve) {
  const double end = curve.points[above.points.front()].log_bytes + kNearEnd;
  std::vector<std::size_t> points = above.points;
  std::erase_if(points, [&](std::size_t i) { return curve.points[i].log_bytes > end; });
  std::vector<std::size_t> alone = points;
  std::erase_if(alone, [&](std::size_t i) { return curve.sizes[curve.points[i].at].core_shared; });
  return median_of(curve, alone.empty() ? points : alone);
}

// What sizes are uncertain by, as a part of their latency.
double uncertainty(const LatencyCurve& curve, std::span<const std::size_t> points) {
  std::vector<double> parts;
  for (const std::size_t i : points) {
    const SizeLatency& size = curve.sizes[curve.points[i].at];
    parts.push_back(size.ci95 / size.cycles);
  }
  return median(parts);
}

// A tier may slope, as ever more of its loads miss; but where one tier ends and the next begins
// there is a step, and no smaller than what its two sides are uncertain by. Without one, both are
// one tier.
std::vector<Plateau> without_slopes(std::vector<Plateau> plateaus, const LatencyCurve& curve) {
  std::vector<Plateau> kept;
  for (Plateau& plateau : plateaus) {
    if (!kept.empty()) {
      std::vector<std::size_t>& below = kept.back().points;
      const std::span<const std::size_t> end =
          std::span(below).last(std::min(kEndPoints, below.size()));
      const std::span<const std::size_t> begin =
          std::span(plateau.points).first(std::min(kEndPoints, plateau.points.size()));
      const double step = std::log(median_of(curve, begin) / median_of(curve, end));
      if (step <
          std::max(kLeastStep, std::hypot(uncertainty(curve, end), uncertainty(curve, begin)))) {
        below.insert(below.end(), plateau.points.begin(), plateau.points.end());
        continue;
      }
    }
    kept.push_back(std::move(plateau));
  }
  return kept;
}

// A cache that is shared, or keeps some lines of a list that is too long for it, has a long slope,
// and a part of that may pass for a tier. Of more tiers than the caches that are advertised, and
// memory, those least apart are one, while they are little apart.
std::vector<Plateau> without_unadvertised(std::vector<Plateau> plateaus, const LatencyCurve& curve,
                                          const Advertised& advertised) {
  while (!advertised.caches.empty() && plateaus.size() > advertised.caches.size() + 1) {
    std::vector<double> steps;
    for (std::size_t k = 0; k + 1 < plateaus.size(); ++k)
      steps.push_back(std::log(median_of(curve, plateaus[k + 1].points) /
                               median_of(curve, plateaus[k].points)));
    const auto least = std::ranges::min_element(steps);
    if (*least >= kUnadvertisedStep) break;
    const auto below = plateaus.begin() + (least - steps.begin());
    const auto above = std::next(below);
    below->points.insert(below->points.end(), above->points.begin(), above->points.end());
    plateaus.erase(above);
  }
  return plateaus;
}

// A level that was filled ends where it was full. Where the next begins far behind that, there is
// one between them, too short for a plateau of its own: of those sizes that are near their median.
std::vector<Plateau> with_levels_behind(std::vector<Plateau> plateaus, const LatencyCurve& curve,
                                        std::span<const HeldCapacity> held,
                                        const Advertised& advertised) {
  for (const HeldCapacity& each : held) {
    if (!advertised.caches.empty() && plateaus.size() > advertised.caches.size()) break;
    const auto filled = level_filled(each, levels_of(plateaus, curve));
    if (!filled || *filled + 1 == plateaus.size()) continue;
    Plateau& below = plateaus[*filled];
    const Plateau& above = plateaus[*filled + 1];
    const double end = std::log2(each.bytes);
    if (curve.points[above.points.front()].log_bytes < end + kTierRules.least_span) continue;
    std::vector<std::size_t> between;
    const double from = end + kBehindFilled;
    for (std::size_t i = below.points.front(); i < above.points.front(); ++i)
      if (curve.points[i].log_bytes > from) between.push_back(i);
    if (between.empty()) continue;
    const double level = median_of(curve, between);
    std::erase_if(between, [&](std::size_t i) {
      return std::fabs(std::log(curve.points[i].cycles / level)) > kAsFilled;
    });
    std::set<double> sizes;
    for (const std::size_t i : between) sizes.insert(curve.points[i].log_bytes);
    if (sizes.size() < kTierRules.fewest ||
        level < std::exp(kTierRules.least_rise) * median_of(curve, below.points) ||
        median_of(curve, above.points) < std::exp(kTierRules.least_rise) * level)
      continue;
    std::erase_if(below.points, [&](std::size_t i) { return curve.points[i].log_bytes > from; });
    plateaus.insert(plateaus.begin() + static_cast<std::ptrdiff_t>(*filled) + 1,
                    {std::log(level), std::move(between)});
  }
  return plateaus;
}

Tier tier_of(const Plateau& plateau, const LatencyCurve& curve, double core_hz) {
  std::vector<double> ci95;
  for (const std::size_t i : plateau.points) ci95.push_back(curve.sizes[curve.points[i].at].ci95);
  Tier tier;
  tier.sizes = ci95.size();
  tier.least_bytes = std::exp2(curve.points[plateau.points.front()].log_bytes);
  tier.most_bytes = std::exp2(curve.points[plateau.points.back()].log_bytes);
  tier.cycles = median_of(curve, plateau.points);
  tier.ns = tier.cycles / core_hz * 1e9;  // the curve is in cycles of that clock
  // Of the median over sizes, as many as their weights make (L. Kish, Survey Sampling, 1965); and
  // no less than what a single size is known to: its errors, the bias's foremost, are common to
  // all.
  double weights = 0, weights_squared = 0, squares = 0;
  for (const std::size_t i : plateau.points) {
    const LatencyPoint& point = curve.points[i];
    weights += point.weight;
    weights_squared += point.weight * point.weight;
    squares += point.weight * (point.cycles - tier.cycles) * (point.cycles - tier.cycles);
  }
  const double free = std::max(weights * weights / weights_squared - 1, 1.0);
  tier.ci95_cycles = std::max(
      median(ci95), student_t95(free) * std::sqrt(kMedianVariance * squares / weights / free));
  for (const std::size_t i : plateau.points)
    if (curve.points[i].tlb_cycles > 0.05 * tier.cycles) tier.condition = "TLB misses taken off";
  return tier;
}

void add_small_page_costs(const LatencyCurve& curve, std::span<const Plateau> plateaus,
                          double core_hz, std::vector<Tier>& tiers) {
  for (std::size_t k = 0; k < tiers.size(); ++k) {
    const double from = k == 0 ? 0 : tiers[k - 1].capacity_bytes * kClearOfEdges;
    const double to = tiers[k].capacity ? tiers[k].capacity_bytes / kClearOfEdges
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

}  // namespace

std::vector<Tier> find_tiers(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                             std::span<const TlbTier> tlb, std::span<const HeldLines> held,
                             const Advertised& advertised, double core_hz,
                             std::vector<std::string>& warnings) {
  const LatencyCurve curve = latency_curve(samples, sizes, tlb, core_hz);
  std::vector<CurvePoint> points;
  for (const LatencyPoint& point : curve.points)
    points.push_back(
        {point.log_bytes, std::log(point.cycles), point.sigma / point.cycles, point.weight});
  const std::vector<HeldCapacity> capacities = held_capacities(held);
  const std::vector<Plateau> plateaus = with_levels_behind(
      without_unadvertised(without_slopes(find_plateaus(points, kTierRules), curve), curve,
                           advertised),
      curve, capacities, advertised);
  if (plateaus.empty()) {
    warnings.push_back(
        fmt::format("{} {} no tier: a tier needs {} sizes that differ by half or more",
                    plural(points.size(), "undisturbed size", {}),
                    points.size() == 1 ? "shows" : "show", kTierRules.fewest));
    return {};
  }

  std::vector<Tier> tiers;
  for (const Plateau& plateau : plateaus) tiers.push_back(tier_of(plateau, curve, core_hz));
  for (std::size_t k = 0; k + 1 < tiers.size(); ++k) {
    const auto edge = edge_between(curve, plateaus[k], plateaus[k + 1], tiers[k].cycles,
                                   near_end(plateaus[k + 1], curve));
    if (!edge) continue;
    // Which cache it is decides by how much the sets fill alike: the one nearest in size.
    const AdvertisedCache* cache = nullptr;
    for (const AdvertisedCache& c : advertised.caches)
      if (std::fabs(std::log2(static_cast<double>(c.bytes)) - edge->x) < 0.5) cache = &c;
    const Capacity capacity =
        capacity_at(*edge, cache != nullptr ? cache->ways : 0,
                    cache != nullptr && kLeastPage * cache->ways >= cache->bytes);
    tiers[k].capacity_bytes = capacity.value;
    tiers[k].capacity = capacity.interval;
  }
  for (const HeldCapacity& each : capacities) {
    const auto filled = level_filled(each, levels_of(plateaus, curve));
    if (!filled || *filled + 1 == tiers.size()) continue;
    tiers[*filled].capacity_bytes = each.bytes;
    tiers[*filled].capacity = each.interval;
  }
  add_small_page_costs(curve, plateaus, core_hz, tiers);
  name_tiers(tiers, advertised, std::exp2(curve.points.front().log_bytes),
             std::exp2(curve.points.back().log_bytes), warnings);
  return tiers;
}

}  // namespace tacho
