#include "latency/inference/filled_caches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>

#include "latency/inference/rules.hpp"
#include "stats/quantile.hpp"

namespace tacho {
namespace {

constexpr const FilledRules& kFilled = kLatencyRules.filled;

}  // namespace

std::vector<FilledCapacity> filled_capacities(std::span<const CacheFill> fills) {
  std::map<unsigned, std::vector<CacheFill>> caches;  // by number
  for (const CacheFill& each : fills) caches[each.cache].push_back(each);
  std::vector<FilledCapacity> found;
  for (auto& [cache, fillings] : caches) {
    if (fillings.size() < kFilled.fewest_fillings) continue;
    std::ranges::sort(fillings, std::greater<>(), &CacheFill::bytes);
    std::vector<double> hits;
    for (const CacheFill& each : fillings) hits.push_back(each.hit_cycles);
    // Other programs take a part of the cache, and hardly anything makes it hold more: the second
    // best counts. The cache may have held a part of one more page.
    found.push_back({fillings[1].bytes,
                     {fillings.back().bytes, fillings[0].bytes + fillings[0].page_bytes},
                     median(hits)});
  }
  return found;
}

std::optional<std::size_t> filled_level(const FilledCapacity& filled,
                                        std::span<const double> cycles) {
  std::optional<std::size_t> found;
  const auto away = [&](std::size_t level) {
    return std::fabs(std::log(filled.hit_cycles / cycles[level]));
  };
  for (std::size_t level = 0; level < cycles.size(); ++level)
    if (filled.hit_cycles > kFilled.least_hit * cycles[level] &&
        filled.hit_cycles < kFilled.most_hit * cycles[level] &&
        (!found || away(level) < away(*found)))
      found = level;
  return found;
}

}  // namespace tacho
