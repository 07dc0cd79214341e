#include "latency/inference/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ranges>

#include "latency/inference/list_latency.hpp"
#include "latency/inference/rules.hpp"
#include "latency/inference/tlb.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"

namespace tacho {
namespace {

constexpr const CurveRules& kCurve = kLatencyRules.curve;

// The largest pages on which enough lists were measured: the TLB has the least to do with them. 0
// (any pages) if no pages have enough.
std::uint64_t pages_for_tiers(std::span<const SizeLatency> sizes) {
  std::map<std::uint64_t, std::size_t> measured;
  for (const SizeLatency& size : sizes)
    if (size.layout == Layout::packed && !size.disturbed) ++measured[size.page_bytes];
  std::uint64_t pages = 0;
  for (const auto& [page_bytes, count] : measured)
    if (count >= kCurve.enough_lists) pages = page_bytes;
  return pages;
}

std::vector<LatencyPoint> curve_of(std::span<const LatencySample> samples,
                                   std::span<const SizeLatency> sizes, std::span<const TlbTier> tlb,
                                   double core_hz) {
  const std::uint64_t pages = pages_for_tiers(sizes);
  std::vector<LatencyPoint> curve;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SizeLatency& size = sizes[i];
    if (size.layout != Layout::packed || size.disturbed) continue;
    if (pages != 0 && size.page_bytes != pages) continue;
    LatencyPoint point;
    point.at = i;
    point.log_bytes = std::log2(static_cast<double>(size.bytes));
    point.tlb_cycles = tlb_cycles(tlb, size);
    point.tlb_most_cycles = tlb_most_cycles(tlb, size);
    if (size.tlb_page_bytes != size.page_bytes &&
        point.tlb_cycles < kCurve.tlb_matters * size.cycles)
      point.tlb_cycles = 0;
    point.by_blocks = size.from_blocks;
    point.cycles = size.cycles;
    if (point.tlb_cycles > 0) {
      // An average is subtracted from an average: most single loads pay all of it, or nothing.
      if (const auto average = block_cycles(samples[i], size.bias_ticks)) {
        point.cycles = *average;
        point.by_blocks = true;
      }
    }
    point.cycles *= to_usual_clock(size, core_hz);
    point.cycles = std::max(point.cycles - point.tlb_cycles, kCurve.least_left * point.cycles);
    point.usual_cycles = point.cycles;
    if (size.from_blocks && size.cycles > 0 && core_hz > 0)
      point.usual_cycles *= size.ns * 1e-9 * core_hz / size.cycles;
    // A list whose latency is less certain than most is a mixture of levels, and no evidence
    // against any of them.
    const double differ =
        (is_mixture(samples[i], size) ? kCurve.mixtures_differ : kCurve.lists_differ) *
        point.cycles;
    point.sigma = std::hypot(std::min(size.ci95 / kTwoSided95, differ), differ,
                             kCurve.tlb_known_to * point.tlb_cycles);
    curve.push_back(point);
  }
  std::ranges::stable_sort(curve, {}, &LatencyPoint::log_bytes);
  return curve;
}

// Whether a list of so many bytes is, even at its fastest, slower than a list of half as many or
// more. At such sizes chance decides which lines find room, because it depends on the pages: a
// slower sample of one list is no disturbance.
bool rises_to(std::uint64_t bytes, const std::map<std::uint64_t, double>& fastest) {
  const auto shorter = std::ranges::subrange(fastest.lower_bound(bytes / 2), fastest.find(bytes)) |
                       std::views::values;
  return std::ranges::any_of(
      shorter, [&](double cycles) { return fastest.at(bytes) > kCurve.slower * cycles; });
}

}  // namespace

LatencyCurve latency_curve(std::span<const LatencySample> samples, std::span<SizeLatency> sizes,
                           std::span<const TlbTier> tlb, double core_hz) {
  LatencyCurve curve{samples, sizes, {}};
  const std::vector<LatencyPoint> points = curve_of(samples, sizes, tlb, core_hz);
  std::vector<Bounds> cycles;
  std::map<std::uint64_t, double> fastest;  // by bytes, of lists measured several times
  for (const LatencyPoint& point : points) {
    cycles.push_back(between(point.cycles, point.usual_cycles));
    double& least = fastest.try_emplace(sizes[point.at].bytes, cycles.back().high).first->second;
    least = std::min(least, cycles.back().high);
  }
  const std::vector<bool> slower = stands_out(cycles, kCurve.slower, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    SizeLatency& size = sizes[points[i].at];
    if (slower[i]) {
      size.disturbed = "slower than longer lists";
    } else if (cycles[i].low > kCurve.slower * fastest[size.bytes] &&
               !rises_to(size.bytes, fastest)) {
      size.disturbed = "slower than the same list at another time";
    } else {
      curve.points.push_back(points[i]);
    }
  }
  std::vector<double> places;
  for (const LatencyPoint& point : curve.points) places.push_back(point.log_bytes);
  const std::vector<double> weights = weights_by_spacing(places, kCurve.usual_spacing);
  for (std::size_t i = 0; i < weights.size(); ++i) curve.points[i].weight = weights[i];
  return curve;
}

}  // namespace tacho
