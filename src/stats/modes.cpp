// Peaks with the valleys between them, and whether a valley is one.
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

// How wide the window is through which peaks are looked for, as a part of the value itself: what a
// load takes varies in proportion to it, by a few percent. Peaks nearer than that are one.
constexpr double kBlur = 0.05;
constexpr double kDeepValley = 0.5;  // of the lower of two tops

// Noise makes two peaks of one in no more of all histograms.
constexpr double kFalseAlarms = 0.05;

// What the window holds at one place: at a value, or half way to the next one.
struct Place {
  double value = 0;
  double held = 0;
  double wide = 0;  // how many values lie in the window, counted or not
  double density() const { return held / wide; }
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
  double held = 0;
  for (Place& place : places) {
    const double half = half_width(place.value, step);
    while (to < bins.size() && static_cast<double>(bins[to].value) <= place.value + half)
      held += static_cast<double>(bins[to++].count);
    while (from < to && static_cast<double>(bins[from].value) < place.value - half)
      held -= static_cast<double>(bins[from++].count);
    place.held = held;
    place.wide = std::floor((place.value + half - first) / step) -
                 std::ceil((place.value - half - first) / step) + 1;
  }
  return places;
}

// How many windows the histogram takes side by side.
double windows(const Histogram& histogram, double step) {
  const auto last = static_cast<double>(histogram.bins().back().value);
  double count = 1;
  for (auto at = static_cast<double>(histogram.bins().front().value); at < last; ++count)
    at += 2 * half_width(at, step);
  return count;
}

// Of so many, the normal approximation of the binomial distribution is as good as the exact sum.
constexpr double kMany = 1000;

// The probability of at most k successes of n, each of probability p.
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

// The probability of a valley as low beside a top that is no higher in truth.
double chance(const Place& valley, const Place& top, double worth) {
  const double held = std::ceil(valley.held * worth);
  return at_most(held, held + std::floor(top.held * worth), valley.wide / (valley.wide + top.wide));
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

// What noise makes: less than this, where each value tells so much of what an independent one
// would.
struct Noise {
  double significant = 0, worth = 1;
};

// 0 for the deepest valley; from 1 on those that noise may have made, the likelier the more.
double shallowness(const Place& valley, const Place& one, const Place& other, const Noise& noise) {
  const Place& top = one.density() < other.density() ? one : other;
  const double by_chance = chance(valley, top, noise.worth);
  return by_chance > noise.significant ? 1 + by_chance : valley.density() / top.density();
}

// Where the valleys are that are left when, of the shallowest valley, the lower top is taken away
// until all are deep.
std::vector<double> deep_valleys(const Relief& relief, const std::vector<Place>& places,
                                 const Noise& noise) {
  struct Valley {
    std::size_t left, right;     // tops beside it
    std::size_t previous, next;  // valleys, among those that are left
    double shallow;
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
    valleys.push_back({i, i + 1, i - 1, i + 1, 0});  // before the first: beyond all
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

// What lies between the valleys that are deep, where it is at least `least_share`.
std::vector<Histogram> peaks(const Histogram& histogram, double least_share, double worth) {
  const Bins bins = histogram.bins();
  const auto step = static_cast<double>(step_of(histogram));
  const std::vector<Place> places = blurred(histogram, step);
  // Any window may be the top, any other the valley.
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
