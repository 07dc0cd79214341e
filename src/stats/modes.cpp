#include "stats/modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tacho {
namespace {

using Bins = std::span<const Histogram::Bin>;

// Width of the smoothing window, as a part of the value: the time of a load varies by a few
// percent. Tops closer than that are one peak.
constexpr double kBlur = 0.05;
constexpr double kDeepValley = 0.5;  // a valley's height is below this part of the lower top

// The share of histograms in which noise may split a peak.
constexpr double kFalseAlarms = 0.05;

// The window at one place: at a value, or in the middle between two values.
struct Place {
  double value = 0;
  double inside = 0;  // counted values in the window
  double width = 0;   // possible values in the window, in steps of the counter
  double density() const { return inside / width; }
};

double half_width(double value, double step) {
  return std::max(step, value * kBlur / 2);
}

std::vector<Place> blurred(const Histogram& histogram, double step) {
  const Bins bins = histogram.bins();
  std::vector<Place> places;
  places.reserve(2 * bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto value = static_cast<double>(bins[i].value);
    if (i > 0) places.push_back({(static_cast<double>(bins[i - 1].value) + value) / 2});
    places.push_back({value});
  }
  const auto first = static_cast<double>(bins.front().value);
  std::size_t from = 0;
  std::size_t to = 0;
  double inside = 0;
  for (Place& place : places) {
    const double half = half_width(place.value, step);
    while (to < bins.size() && static_cast<double>(bins[to].value) <= place.value + half)
      inside += static_cast<double>(bins[to++].count);
    while (from < to && static_cast<double>(bins[from].value) < place.value - half)
      inside -= static_cast<double>(bins[from++].count);
    place.inside = inside;
    place.width = std::floor((place.value + half - first) / step) -
                  std::ceil((place.value - half - first) / step) + 1;
  }
  return places;
}

// Returns the number of windows side by side from the first value to the last.
double windows(const Histogram& histogram, double step) {
  const auto last = static_cast<double>(histogram.bins().back().value);
  double count = 1;
  for (auto at = static_cast<double>(histogram.bins().front().value); at < last; ++count)
    at += 2 * half_width(at, step);
  return count;
}

// From this many draws on, the normal approximation of the binomial distribution is used.
constexpr double kMany = 1000;

// Returns the probability of at most k successes in n draws, each of probability p.
double at_most(double k, double n, double p) {
  if (n > kMany) return std::erfc((n * p - k) / std::sqrt(2 * n * p * (1 - p))) / 2;
  double sum = 0;
  double logarithm = n * std::log1p(-p);  // of the probability of exactly i
  for (int i = 0; i <= k; ++i) {
    sum += std::exp(logarithm);
    logarithm += std::log((n - i) / (i + 1) * p / (1 - p));
  }
  return sum;
}

// Returns the probability of a valley this low if the true density of the top is the same.
double chance(const Place& valley, const Place& top, double worth) {
  const double inside = std::ceil(valley.inside * worth);
  return at_most(inside, inside + std::floor(top.inside * worth),
                 valley.width / (valley.width + top.width));
}

// Tops and the valleys between them, as indices of places: valleys[i] lies between tops[i] and
// tops[i + 1].
struct Relief {
  std::vector<std::size_t> tops, valleys;
};

Relief relief_of(const std::vector<Place>& places) {
  Relief relief;
  bool rising = true;
  std::size_t extreme = 0;  // the last top or valley candidate
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double change = places[i].density() - places[extreme].density();
    if (rising ? change >= 0 : change <= 0) {
      extreme = i;
      continue;
    }
    (rising ? relief.tops : relief.valleys).push_back(extreme);
    rising = !rising;
    extreme = i;
  }
  if (rising) relief.tops.push_back(extreme);
  return relief;
}

// The limits of noise: a valley of a lower probability is significant; `worth` is that of a value.
struct Noise {
  double significant = 0, worth = 1;
};

// Returns the height of the valley over that of the lower top: 0 is the deepest. If noise may have
// made the valley, returns 1 plus the probability of that.
double shallowness(const Place& valley, const Place& one, const Place& other, const Noise& noise) {
  const Place& top = one.density() < other.density() ? one : other;
  const double by_chance = chance(valley, top, noise.worth);
  return by_chance > noise.significant ? 1 + by_chance : valley.density() / top.density();
}

// Removes the shallowest valley, and the lower one of its two tops, until all valleys are deep.
// Returns the places of the remaining valleys.
std::vector<double> deep_valleys(const Relief& relief, const std::vector<Place>& places,
                                 const Noise& noise) {
  struct Valley {
    std::size_t left, right;     // the tops next to it
    std::size_t previous, next;  // the remaining valleys next to it
    double shallow;              // shallowness()
  };
  const std::size_t count = relief.valleys.size();
  std::vector<Valley> valleys;
  valleys.reserve(count);
  std::set<std::pair<double, std::size_t>> by_depth;
  const auto weigh = [&](std::size_t i) {
    Valley& valley = valleys[i];
    valley.shallow = shallowness(places[relief.valleys[i]], places[relief.tops[valley.left]],
                                 places[relief.tops[valley.right]], noise);
    by_depth.emplace(valley.shallow, i);
  };
  for (std::size_t i = 0; i < count; ++i) {
    valleys.push_back({i, i + 1, i - 1, i + 1, 0});  // i - 1 of the first is the greatest number
    weigh(i);
  }
  const auto weigh_again = [&](std::size_t i) {
    by_depth.erase({valleys[i].shallow, i});
    weigh(i);
  };
  while (!by_depth.empty() && by_depth.rbegin()->first >= kDeepValley) {
    const Valley gone = valleys[by_depth.rbegin()->second];
    by_depth.erase(std::prev(by_depth.end()));
    const bool left_is_lower =
        places[relief.tops[gone.left]].density() < places[relief.tops[gone.right]].density();
    if (gone.previous < count) valleys[gone.previous].next = gone.next;
    if (gone.next < count) valleys[gone.next].previous = gone.previous;
    if (left_is_lower && gone.previous < count) {
      valleys[gone.previous].right = gone.right;
      weigh_again(gone.previous);
    } else if (!left_is_lower && gone.next < count) {
      valleys[gone.next].left = gone.left;
      weigh_again(gone.next);
    }
  }
  std::vector<double> deep;
  for (const auto& [shallow, i] : by_depth) deep.push_back(places[relief.valleys[i]].value);
  std::ranges::sort(deep);
  return deep;
}

// Cuts the histogram at the deep valleys; returns the parts with at least `least_share` of it.
std::vector<Histogram> peaks(const Histogram& histogram, double least_share, double worth) {
  const Bins bins = histogram.bins();
  const auto step = static_cast<double>(step_of(histogram));
  const std::vector<Place> places = blurred(histogram, step);
  // Any window may be the top, and any other one the valley: so many comparisons.
  const double all = windows(histogram, step);
  std::vector<double> valleys =
      deep_valleys(relief_of(places), places, {kFalseAlarms / (all * all), worth});
  valleys.push_back(static_cast<double>(bins.back().value));
  std::vector<Histogram> found;
  std::size_t bin = 0;
  for (const double valley : valleys) {
    Histogram within;
    for (; bin < bins.size() && static_cast<double>(bins[bin].value) <= valley; ++bin)
      within.add(bins[bin].value, bins[bin].count);
    if (!within.empty() &&
        static_cast<double>(within.total()) >= least_share * static_cast<double>(histogram.total()))
      found.push_back(std::move(within));
  }
  return found;
}

double worth_of(const Histogram& within, const WorthWithin& worth) {
  return worth ? worth(within.bins().front().value, within.bins().back().value) : 1;
}

Mode mode_of(const Histogram& within, double total, const WorthWithin& worth) {
  Location at = location(within);
  if (worth)
    at = location(within, kLocationShare,
                  worth(static_cast<std::uint64_t>(std::ceil(at.value - at.width / 2)),
                        static_cast<std::uint64_t>(std::floor(at.value + at.width / 2))));
  const double share = static_cast<double>(within.total()) / total;
  return {within.quantile(0.05),
          within.quantile(0.95),
          at.value,
          at.low,
          at.high,
          within.total(),
          share,
          wilson95(share, total * worth_of(within, worth))};
}

}  // namespace

std::vector<Mode> modes(const Histogram& histogram, double least_share, const WorthWithin& worth) {
  if (histogram.empty()) return {};
  std::vector<Histogram> found = peaks(histogram, least_share, 1);
  if (worth && found.size() > 1) {
    double least = 1;
    for (const Histogram& within : found) least = std::min(least, worth_of(within, worth));
    found = peaks(histogram, least_share, least);
  }
  std::vector<Mode> modes;
  for (const Histogram& within : found)
    modes.push_back(mode_of(within, static_cast<double>(histogram.total()), worth));
  return modes;
}

}  // namespace tacho
