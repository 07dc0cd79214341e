#include "latency/chase/fill_level.hpp"

#include <algorithm>
#include <deque>

#include "latency/inference/rules.hpp"
#include "stats/quantile.hpp"

namespace tacho::chase {
namespace {

constexpr const FillRules& kFilling = kLatencyRules.fill;

std::vector<std::size_t> take_first(std::deque<std::size_t>& waiting, std::size_t count) {
  const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::size_t> taken(waiting.begin(), end);
  waiting.erase(waiting.begin(), end);
  return taken;
}

}  // namespace

FilledLevel fill_level(const GroupsToFill& groups, std::size_t given, const Stop& stop) {
  FilledLevel filled{.groups = std::min(given, groups.count)};
  std::deque<std::size_t> waiting;
  for (std::size_t group = 0; group < groups.count; ++group)
    if (group < given)
      groups.take_in(group);
    else
      waiting.push_back(group);
  std::vector<double> hit_times;  // of the groups that found room
  // Two groups that are tried together may exclude each other: so fewer and fewer are.
  for (std::size_t at_once = kFilling.at_once; at_once != 0; at_once /= 2) {
    const std::size_t enough = at_once == 1 ? kFilling.refusals : kFilling.few_refusals;
    for (std::size_t refused = 0; refused < enough;) {
      if (stop() || waiting.size() < at_once) return filled;
      const std::vector<std::size_t> tried = take_first(waiting, at_once);
      std::vector<double> times = groups.revisit(tried);
      const double usual = median(hit_times.empty() ? times : hit_times);
      for (std::size_t i = 0; i < tried.size(); ++i) {
        if (times[i] > kFilling.refused * usual) {
          ++refused;
          waiting.push_back(tried[i]);
          continue;
        }
        refused = 0;
        hit_times.push_back(times[i]);
        groups.take_in(tried[i]);
        ++filled.groups;
      }
    }
  }
  filled.full = true;
  if (!hit_times.empty()) filled.hit_time = median(hit_times);
  return filled;
}

}  // namespace tacho::chase
