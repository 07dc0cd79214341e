#include "analysis/latency_held.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

namespace tacho {
namespace {

constexpr std::size_t kFewestFillings = 3;
constexpr double kSameLevel = 0.34;  // ln 1.4: other levels are farther apart

}  // namespace

void set_capacities(std::vector<Tier>& tiers, std::span<const HeldLines> held) {
  for (Tier& tier : tiers) {
    if (!tier.capacity) continue;
    std::vector<double> bytes;
    double page = 0;
    for (const HeldLines& each : held) {
      if (std::fabs(std::log(each.about_bytes / tier.capacity_bytes)) > kSameLevel) continue;
      bytes.push_back(each.bytes);
      page = each.page_bytes;
    }
    if (bytes.size() < kFewestFillings) continue;
    // Whoever used the level meanwhile had a part of it, and hardly anything makes it hold more:
    // the second best counts. It may have held any part of a page more.
    std::ranges::sort(bytes, std::greater<>());
    tier.capacity_bytes = bytes[1];
    tier.capacity = {bytes.back(), bytes.front() + page};
  }
}

}  // namespace tacho
