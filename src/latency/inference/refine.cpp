#include "latency/inference/refine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

constexpr const RefineRules& kRefine = kLatencyRules.refine;

// Adds one size between two, or three if they are far apart.
void divide(double low, double high, std::set<double>& wanted) {
  const double ratio = high / low;
  wanted.insert(low * std::sqrt(ratio));
  if (ratio < kRefine.wide) return;
  wanted.insert(low * std::pow(ratio, 0.25));
  wanted.insert(low * std::pow(ratio, 0.75));
}

struct Measured {
  double size = 0;
  double cycles = 0;
};

std::vector<Measured> measured(std::span<const SizeLatency> sizes, Layout layout) {
  std::vector<Measured> found;
  for (const SizeLatency& size : sizes)
    if (size.layout == layout && !size.disturbed)
      found.push_back(
          {static_cast<double>(layout == Layout::packed ? size.bytes : size.lines), size.cycles});
  std::ranges::sort(found, {}, &Measured::size);
  return found;
}

// Sizes to add: in coarse gaps over which the latency rises, and within the intervals of edges.
std::vector<std::uint64_t> refine(const std::vector<Measured>& have,
                                  std::span<const Interval> edges, double within, double unit) {
  std::set<double> wanted;
  for (std::size_t i = 0; i + 1 < have.size(); ++i) {
    const double low = have[i].size;
    const double high = have[i + 1].size;
    const bool coarse =
        high > kRefine.coarse * low && have[i + 1].cycles > kRefine.rises * have[i].cycles;
    const bool at_edge = high > (1 + within) * low && std::ranges::any_of(edges, [&](Interval e) {
                           return low < e.high && high > e.low;
                         });
    if (coarse || at_edge) divide(low, high, wanted);
  }
  std::vector<std::uint64_t> sizes;
  for (const double size : wanted) {
    const double rounded = std::max(1.0, std::round(size / unit)) * unit;
    const bool known =
        std::ranges::any_of(have, [&](const Measured& m) { return m.size == rounded; });
    const auto whole = static_cast<std::uint64_t>(rounded);
    if (!known && (sizes.empty() || sizes.back() != whole)) sizes.push_back(whole);
  }
  return sizes;
}

}  // namespace

SizesToRefine sizes_to_refine(const LatencyInference& inference, double within,
                              std::uint64_t line_bytes) {
  std::vector<Interval> capacities;
  for (const Tier& tier : inference.tiers)
    if (tier.capacity) capacities.push_back(*tier.capacity);
  std::vector<Interval> reaches;
  for (const TlbTier& tier : inference.tlb) reaches.push_back(tier.entries_interval);
  return {refine(measured(inference.sizes, Layout::packed), capacities, within,
                 static_cast<double>(line_bytes)),
          refine(measured(inference.sizes, Layout::spread), reaches, within, 1)};
}

}  // namespace tacho
