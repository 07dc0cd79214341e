// Histograms: counting, and the narrowest window.
#include "stats/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tacho {
namespace {

using Bins = std::span<const Histogram::Bin>;

// Fewer different values than this do not show by how much the counter steps.
constexpr std::size_t kEnoughValues = 5;

double middle(std::uint64_t a, std::uint64_t b) {
  return (static_cast<double>(a) + static_cast<double>(b)) / 2;
}

}  // namespace

void Histogram::add(std::uint64_t value, std::uint64_t n) {
  if (n == 0) return;
  total_ += n;
  const auto at = std::ranges::lower_bound(bins_, value, {}, &Bin::value);
  if (at != bins_.end() && at->value == value) {
    at->count += n;
  } else {
    bins_.insert(at, {value, n});
  }
}

std::uint64_t Histogram::quantile(double q) const {
  const double rank = q * static_cast<double>(total_);
  double held = 0;
  for (const Bin& bin : bins_) {
    held += static_cast<double>(bin.count);
    if (held >= rank) return bin.value;
  }
  return bins_.back().value;
}

std::uint64_t step_of(const Histogram& histogram) {
  const Bins bins = histogram.bins();
  if (bins.size() < kEnoughValues) return 1;
  std::uint64_t step = 0;
  for (const auto& bin : bins) step = std::gcd(step, bin.value - bins.front().value);
  return step;
}

Location location(const Histogram& histogram, double share) {
  const Bins bins = histogram.bins();
  const auto needed = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(histogram.total()))));

  std::uint64_t width = 0;
  std::uint64_t most = 0;  // what the narrowest window holds
  Location found;
  std::uint64_t held = 0;
  for (std::size_t from = 0, to = 0; from < bins.size(); held -= bins[from++].count) {
    while (to < bins.size() && held < needed) held += bins[to++].count;
    if (held < needed) break;
    const std::uint64_t wide = bins[to - 1].value - bins[from].value;
    if (most > 0 && (wide > width || (wide == width && held <= most))) continue;
    width = wide;
    most = held;
    found.value = middle(bins[from].value, bins[to - 1].value);
  }

  // The difference of what two windows hold has the variance of their sum.
  const auto best = static_cast<double>(most);
  const double enough = best - 1.96 * std::sqrt(2 * best);
  found.low = found.high = found.value;
  held = 0;
  for (std::size_t from = 0, to = 0; from < bins.size(); held -= bins[from++].count) {
    while (to < bins.size() && bins[to].value - bins[from].value <= width) held += bins[to++].count;
    if (static_cast<double>(held) < enough) continue;
    const double here = middle(bins[from].value, bins[to - 1].value);
    found.low = std::min(found.low, here);
    found.high = std::max(found.high, here);
  }
  const double half_step = static_cast<double>(step_of(histogram)) / 2;
  found.low = std::min(found.low, found.value - half_step);
  found.high = std::max(found.high, found.value + half_step);
  found.width = static_cast<double>(width);
  return found;
}

}  // namespace tacho
