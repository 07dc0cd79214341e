#include "stats/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "stats/normal.hpp"

namespace tacho {
namespace {

using Bins = std::span<const Histogram::Bin>;

// Fewer different values than this do not show the step of the counter.
constexpr std::size_t kEnoughValues = 5;

// Limits of usual_step().
constexpr int kWidestStep = 64;               // ticks
constexpr std::uint64_t kFarthest = 256;      // ticks from the most frequent value
constexpr std::uint64_t kEnoughToStep = 100;  // counted values

// Returns true if at least four in five of the counted values fit, and if there are enough of them.
template <class Fits>
bool most_fit(const std::vector<Histogram::Bin>& bins, const Fits& fits) {
  std::uint64_t total = 0;
  std::uint64_t count = 0;
  for (const auto& bin : bins) {
    total += bin.count;
    if (fits(bin)) count += bin.count;
  }
  return total >= kEnoughToStep && 5 * count >= 4 * total;
}

// Finds a step that is not a whole number: the counter shows each multiple of it as one of the two
// whole numbers next to it. Searches the largest step that fits the most frequent value and most
// others, then returns its least-squares fit to these others. Returns 1 if there is none.
double broken_step(std::uint64_t usual, const std::vector<Histogram::Bin>& others) {
  constexpr int kLeast = 8;   // ticks: smaller steps would fit too many values by chance
  constexpr int kParts = 32;  // resolution of the search: parts of a tick
  for (int parts = kWidestStep * kParts; parts >= kLeast * kParts; --parts) {
    const double step = static_cast<double>(parts) / kParts;
    const auto steps_of = [&](std::uint64_t value) {
      const double steps = std::round(static_cast<double>(value) / step);
      return std::fabs(static_cast<double>(value) - steps * step) < 1 ? steps : 0;
    };
    const auto fits = [&](const Histogram::Bin& bin) { return steps_of(bin.value) > 0; };
    if (steps_of(usual) == 0 || !most_fit(others, fits)) continue;
    double products = 0;  // least squares through the origin: value = steps · step
    double squares = 0;
    for (const auto& bin : others) {
      const double steps = steps_of(bin.value);
      products += static_cast<double>(bin.count * bin.value) * steps;
      squares += static_cast<double>(bin.count) * steps * steps;
    }
    return products / squares;
  }
  return 1;
}

// The bins from `from` to before `to`, and the values in them.
struct Window {
  std::size_t from = 0, to = 0;
  std::uint64_t inside = 0;
};

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

double Histogram::share_above(double value) const {
  double above = 0;
  for (const Bin& bin : bins_)
    if (static_cast<double>(bin.value) > value) above += static_cast<double>(bin.count);
  return above / static_cast<double>(total_);
}

std::uint64_t Histogram::quantile(double q) const {
  const double rank = q * static_cast<double>(total_);
  double counted = 0;
  for (const Bin& bin : bins_) {
    counted += static_cast<double>(bin.count);
    if (counted >= rank) return bin.value;
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

double usual_step(const Histogram& histogram) {
  if (histogram.empty()) return 1;
  const auto usual = std::ranges::max_element(histogram.bins(), {}, &Histogram::Bin::count)->value;
  const auto distance = [&](const Histogram::Bin& bin) {
    return std::max(bin.value, usual) - std::min(bin.value, usual);
  };
  std::vector<Histogram::Bin> others;
  for (const auto& bin : histogram.bins())
    if (distance(bin) > 0 && distance(bin) <= kFarthest) others.push_back(bin);
  for (int step = kWidestStep; step > 1; --step)
    if (most_fit(others, [&](const auto& bin) {
          return distance(bin) % static_cast<std::uint64_t>(step) == 0;
        }))
      return step;
  // A value next to the most frequent one may be the same number of steps, rounded the other way.
  // It gives no information about the step.
  std::erase_if(others, [&](const auto& bin) { return distance(bin) == 1; });
  return broken_step(usual, others);
}

Location location(const Histogram& histogram, double share, double worth) {
  const Bins bins = histogram.bins();
  const auto needed = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(histogram.total()))));

  std::vector<std::uint64_t> before;  // by bin: the values below it
  before.reserve(bins.size() + 1);
  before.push_back(0);
  for (const Histogram::Bin& bin : bins) before.push_back(before.back() + bin.count);

  std::uint64_t width = 0;
  Window best;
  Location found;
  for (std::size_t from = 0, to = 0; from < bins.size(); ++from) {
    while (to < bins.size() && before[to] - before[from] < needed) ++to;
    const std::uint64_t inside = before[to] - before[from];
    if (inside < needed) break;
    const std::uint64_t wide = bins[to - 1].value - bins[from].value;
    if (best.inside > 0 && (wide > width || (wide == width && inside <= best.inside))) continue;
    width = wide;
    best = {from, to, inside};
    found.value = middle(bins[from].value, bins[to - 1].value);
  }

  // Two windows may have most of their values in common. The difference of their counts has the
  // variance of the other ones.
  found.low = found.high = found.value;
  for (std::size_t from = 0, to = 0; from < bins.size(); ++from) {
    while (to < bins.size() && bins[to].value - bins[from].value <= width) ++to;
    const std::uint64_t inside = before[to] - before[from];
    const std::size_t both_from = std::max(from, best.from);
    const std::size_t both_to = std::max(both_from, std::min(to, best.to));
    const std::uint64_t both = before[both_to] - before[both_from];
    const auto apart = static_cast<double>(best.inside + inside - 2 * both);
    if (static_cast<double>(best.inside) - static_cast<double>(inside) >
        kTwoSided95 * std::sqrt(apart / worth))
      continue;
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

Location location_between_steps(const Histogram& histogram, double step) {
  constexpr double kFine = 20;  // steps in the value, from which a step is small enough to ignore
  Location found = location(histogram);
  if (found.value >= kFine * step) {
    found.low = std::min(found.low, found.value - step / 2);
    found.high = std::max(found.high, found.value + step / 2);
    return found;
  }
  // A step that is not a whole number is rounded to either side.
  const double reach = found.width / 2 + step + (step == std::round(step) ? 0 : 1);
  const double from = found.value - reach;
  const double to = found.value + reach;
  double inside = 0;
  double sum = 0;
  double squares = 0;
  for (const Histogram::Bin& bin : histogram.bins()) {
    const auto value = static_cast<double>(bin.value);
    if (value < from || value > to) continue;
    const auto count = static_cast<double>(bin.count);
    const double beyond = value - found.value;
    inside += count;
    sum += count * beyond;
    squares += count * beyond * beyond;
  }
  const double mean = sum / inside;
  const double variance = std::max(squares / inside - mean * mean, 0.0);
  const double outside = 1 - inside / static_cast<double>(histogram.total());
  found.value += mean;
  double half = step / 2;  // for equal values: they may all begin at the same moment of the counter
  if (variance > 0)
    half = kTwoSided95 * std::sqrt(variance / inside) + std::min(outside, 0.5) * step;
  found.low = found.value - half;
  found.high = found.value + half;
  return found;
}

}  // namespace tacho
