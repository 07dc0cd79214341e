#include "latency/inference/filled_caches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>

#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr std::size_t kFewestFillings = 3;
// Of what a load of a random list costs: among lines of one page prefetchers find some, and others
// on the core may cost some.
constexpr double kLeastHit = 0.5;
constexpr double kMostHit = 1.3;

}  // namespace

std::vector<HeldCapacity> held_capacities(std::span<const HeldLines> held) {
  std::map<double, std::vector<HeldLines>> levels;
  for (const HeldLines& each : held) levels[each.about_bytes].push_back(each);
  std::vector<HeldCapacity> found;
  for (auto& [about, fillings] : levels) {
    if (fillings.size() < kFewestFillings) continue;
    std::ranges::sort(fillings, std::greater<>(), &HeldLines::bytes);
    std::vector<double> hits;
    for (const HeldLines& each : fillings) hits.push_back(each.hit_cycles);
    // Whoever used the level meanwhile had a part of it, and hardly anything makes it hold more:
    // the second best counts. It may have held any part of a page more.
    found.push_back({fillings[1].bytes,
                     {fillings.back().bytes, fillings[0].bytes + fillings[0].page_bytes},
                     median(hits)});
  }
  return found;
}

std::optional<std::size_t> level_filled(const HeldCapacity& held, std::span<const double> cycles) {
  std::optional<std::size_t> found;
  const auto away = [&](std::size_t level) {
    return std::fabs(std::log(held.hit_cycles / cycles[level]));
  };
  for (std::size_t level = 0; level < cycles.size(); ++level)
    if (held.hit_cycles > kLeastHit * cycles[level] && held.hit_cycles < kMostHit * cycles[level] &&
        (!found || away(level) < away(*found)))
      found = level;
  return found;
}

}  // namespace tacho
