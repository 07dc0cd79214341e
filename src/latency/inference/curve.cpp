// The curve: which sizes are on it, and their latencies without what the TLB adds.
#include "latency/inference/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <ranges>

#include "latency/inference/size.hpp"
#include "latency/inference/tlb.hpp"
#include "stats/monotone_curve.hpp"
#include "stats/normal.hpp"
#include "stats/plateaus.hpp"

namespace tacho {
namespace {

// Sizes of one tier differ by so much, as a part of their latency, with nothing the matter.
constexpr double kSizesDiffer = 0.03;
constexpr double kMixturesDiffer = 0.08;  // see is_mixture
constexpr std::size_t kEnoughSizes = 8;   // for a curve of their own
constexpr double kStandsOut = 1.3;
constexpr double kSparse = 0.25;    // log2 of bytes, from one size to the next
constexpr double kTlbTells = 0.05;  // of a latency: less is not worth an average in its place

// The largest pages on which enough sizes were measured: the TLB has the least to do with them.
// 0, any pages, when there are enough on none.
std::uint64_t pages_for_tiers(std::span<const SizeLatency> sizes) {
  std::map<std::uint64_t, std::size_t> measured;
  for (const SizeLatency& size : sizes)
    if (size.layout == Layout::packed && !size.disturbed) ++measured[size.page_bytes];
  std::uint64_t pages = 0;
  for (const auto& [page_bytes, count] : measured)
    if (count >= kEnoughSizes) pages = page_bytes;
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
    if (size.tlb_page_bytes != size.page_bytes && point.tlb_cycles < kTlbTells * size.cycles)
      point.tlb_cycles = 0;
    point.by_blocks = size.from_blocks;
    point.cycles = size.cycles;
    if (point.tlb_cycles > 0) {
      // An average is taken off an average: most single loads pay all of it, or nothing.
      if (const auto average = block_cycles(samples[i], size.bias_ticks)) {
        point.cycles = *average;
        point.by_blocks = true;
      }
    }
    point.cycles *= to_usual_clock(size, core_hz);
    point.cycles = std::max(point.cycles - point.tlb_cycles, point.cycles / 10);
    point.usual_cycles = point.cycles;
    if (size.from_blocks && size.cycles > 0 && core_hz > 0)
      point.usual_cycles *= size.ns * 1e-9 * core_hz / size.cycles;
    // What the TLB adds is known to a tenth. A size that is known worse than most is a mixture of
    // tiers, and no evidence for any.
    const double differ =
        (is_mixture(samples[i], size) ? kMixturesDiffer : kSizesDiffer) * point.cycles;
    point.sigma =
        std::hypot(std::min(size.ci95 / kTwoSided95, differ), differ, point.tlb_cycles / 10);
    curve.push_back(point);
  }
  std::ranges::stable_sort(curve, {}, &LatencyPoint::log_bytes);
  return curve;
}

// Whether a list of so many bytes is slower than some of half of them or more, even at its fastest.
// There, which lines find room is the chance of their pages, and no list is slow for another's
// sake.
bool rises_to(std::uint64_t bytes, const std::map<std::uint64_t, double>& fastest) {
  const auto shorter = std::ranges::subrange(fastest.lower_bound(bytes / 2), fastest.find(bytes)) |
                       std::views::values;
  return std::ranges::any_of(
      shorter, [&](double cycles) { return fastest.at(bytes) > kStandsOut * cycles; });
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
  const std::vector<bool> slower = stands_out(cycles, kStandsOut, 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    SizeLatency& size = sizes[points[i].at];
    if (slower[i]) {
      size.disturbed = "slower than longer lists";
    } else if (cycles[i].low > kStandsOut * fastest[size.bytes] && !rises_to(size.bytes, fastest)) {
      size.disturbed = "slower than the same list at another time";
    } else {
      curve.points.push_back(points[i]);
    }
  }
  std::vector<double> places;
  for (const LatencyPoint& point : curve.points) places.push_back(point.log_bytes);
  const std::vector<double> weights = weights_by_spacing(places, kSparse);
  for (std::size_t i = 0; i < weights.size(); ++i) curve.points[i].weight = weights[i];
  return curve;
}

}  // namespace tacho
