#include "regions/regions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tacho {
namespace {

using Value = std::optional<double>;

Value sum(const Value& a, const Value& b) {
  return a && b ? Value(*a + *b) : Value();
}

// The mean of two values, each weighted by its number of executions. A value of no execution is
// left out.
Value weighted(const Value& a, double weight_a, const Value& b, double weight_b) {
  if (weight_b <= 0) return a;
  if (weight_a <= 0) return b;
  if (!a || !b) return {};
  return (*a * weight_a + *b * weight_b) / (weight_a + weight_b);
}

Value chosen(const Value& a, const Value& b,
             const double& (*choose)(const double&, const double&)) {
  if (a && b) return choose(*a, *b);
  return a ? a : b;
}

// The quantiles of the values of all processes.
void set_quantiles(RegionQuantity& whole) {
  const auto quantile = [&](double q) {
    const double cost = whole.cost.value_or(0);
    // The middle of a bucket can be outside the range of the values.
    return std::clamp(whole.values.quantile(q) * whole.scale - cost, *whole.minimum,
                      std::max(*whole.minimum, *whole.maximum));
  };
  whole.median = quantile(0.5);
  whole.p99 = quantile(0.99);
}

// Adds one event's figures of a second process. `time` is the time that the regions took: the
// weight of a share.
void add(RegionQuantity& whole, double whole_time, const RegionQuantity& more, double more_time) {
  const auto n = static_cast<double>(whole.executions);
  const auto m = static_cast<double>(more.executions);
  whole.mean = weighted(whole.mean, n, more.mean, m);
  whole.cost = weighted(whole.cost, n, more.cost, m);
  whole.minimum = chosen(whole.minimum, more.minimum, std::min<double>);
  whole.maximum = chosen(whole.maximum, more.maximum, std::max<double>);
  if (n > 0 && m > 0) {
    whole.median.reset();
    whole.p99.reset();
    const bool known = !whole.values.empty() && !more.values.empty() && whole.scale == more.scale;
    if (known)
      whole.values.add(more.values);
    else
      whole.values = {};
    if (known && whole.minimum && whole.maximum) set_quantiles(whole);
  } else if (m > 0) {
    whole.median = more.median;
    whole.p99 = more.p99;
    whole.values = more.values;
    whole.scale = more.scale;
  }
  whole.share =
      weighted(whole.share ? whole.share : 0, whole_time, more.share ? more.share : 0, more_time);
  // If one process could not count the event, the total is not known.
  if (whole.reason.empty()) {
    whole.reason = more.reason;
    whole.remedy = more.remedy;
  }
  whole.total = sum(whole.total, more.total);
  whole.ci95 = whole.ci95 && more.ci95 ? Value(std::hypot(*whole.ci95, *more.ci95)) : Value();
  whole.estimated = whole.estimated || more.estimated;
  whole.executions += more.executions;
}

// An event and a note can have the same name.
using QuantityName = std::pair<std::string_view, bool>;

QuantityName name_of(const RegionQuantity& quantity) {
  return {quantity.name, quantity.noted};
}

// The place of each quantity in a region, by its name; of several with one name, the first.
using QuantityPlaces = std::map<QuantityName, std::size_t>;

QuantityPlaces places_of(const RegionSummary& region) {
  QuantityPlaces places;
  for (std::size_t i = 0; i < region.quantities.size(); ++i)
    places.try_emplace(name_of(region.quantities[i]), i);
  return places;
}

// The figures of a quantity in a process that has none: it noted no such value, or it did not ask
// for the event.
RegionQuantity none_of(const RegionQuantity& quantity) {
  RegionQuantity none;
  none.name = quantity.name;
  none.unit = quantity.unit;
  none.noted = quantity.noted;
  if (none.noted) {
    none.total = none.ci95 = 0;
    none.share = 1;
    return none;
  }
  none.reason = "not all processes asked for it";
  none.remedy = "let all of them count the same: TACHO_REGIONS_EVENTS";
  return none;
}

// Adds the quantities that only `more` has, without figures.
void add_missing(RegionSummary& whole, const RegionSummary& more) {
  std::set<std::pair<std::string, bool>> known;
  for (const RegionQuantity& quantity : whole.quantities)
    known.emplace(quantity.name, quantity.noted);
  for (const RegionQuantity& quantity : more.quantities)
    if (known.emplace(quantity.name, quantity.noted).second)
      whole.quantities.push_back(none_of(quantity));
}

void add(RegionSummary& whole, const RegionSummary& more) {
  const double whole_time = time_of(whole);
  const double more_time = time_of(more);
  const QuantityPlaces places = places_of(more);
  add_missing(whole, more);
  for (RegionQuantity& quantity : whole.quantities) {
    const auto same = places.find(name_of(quantity));
    add(quantity, whole_time,
        same != places.end() ? more.quantities[same->second] : none_of(quantity), more_time);
  }
  if (more.spread.maximum > whole.spread.maximum) {
    whole.spread.maximum = more.spread.maximum;
    whole.spread.longest = more.spread.longest;
  }
  whole.spread.minimum = std::min(whole.spread.minimum, more.spread.minimum);
  whole.processes += more.processes;
  whole.threads += more.threads;
  whole.executions += more.executions;
  for (RegionQuantity& quantity : whole.quantities)
    if (quantity.estimated && quantity.total && whole.executions > 0)
      quantity.mean = *quantity.total / static_cast<double>(whole.executions);
  whole.own_ticks = sum(whole.own_ticks, more.own_ticks);
  whole.recursions += more.recursions;
  whole.unfinished += more.unfinished;
  if (whole.left_open_by.empty()) whole.left_open_by = more.left_open_by;
  whole.too_short = whole.too_short || more.too_short;
}

}  // namespace

double time_of(const RegionSummary& region) {
  return region.quantities.empty() ? 0 : region.quantities.front().total.value_or(0);
}

std::optional<IntervalEnds> ends95(const RegionQuantity& quantity) {
  if (!quantity.total || !quantity.ci95) return std::nullopt;
  return positive_ends95(*quantity.total, *quantity.ci95);
}

std::vector<RegionSummary> together(std::span<const RegionProcess> processes) {
  std::vector<RegionSummary> all;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;  // index in `all`
  for (const RegionProcess& process : processes)
    for (const RegionSummary& region : process.regions) {
      const auto [same, fresh] = known.try_emplace({region.name, region.program}, all.size());
      if (fresh)
        all.push_back(region);
      else
        add(all[same->second], region);
    }
  return all;
}

std::vector<ProgramPaths> paths_together(std::span<const RegionProcess> processes) {
  std::vector<ProgramPaths> programs;
  std::map<std::string_view, std::size_t> places_of_programs;
  // The place of a path, by program, parent (or that of no path) and name.
  std::map<std::tuple<std::size_t, std::size_t, std::string_view>, std::size_t> known;
  for (const RegionProcess& process : processes) {
    if (process.paths.empty()) continue;
    const auto [place, first] = places_of_programs.try_emplace(process.program, programs.size());
    const std::size_t program = place->second;
    if (first) programs.push_back({process.program, process.clock_hz, {}});
    std::vector<caliper::RegionPath>& all = programs[program].paths;
    constexpr std::size_t kNoParent = ~std::size_t{0};
    std::vector<std::size_t> places;  // of the process's paths in `all`
    for (const caliper::RegionPath& path : process.paths) {
      const std::size_t parent = path.parent ? places[*path.parent] : kNoParent;
      const auto [at, fresh] = known.try_emplace({program, parent, path.name}, all.size());
      places.push_back(at->second);
      if (fresh) {
        all.push_back(path);
        if (path.parent) all.back().parent = parent;
        continue;
      }
      all[at->second].executions += path.executions;
      all[at->second].ticks += path.ticks;
      all[at->second].own_ticks += path.own_ticks;
    }
  }
  return programs;
}

}  // namespace tacho
