// How far beyond the capacity half of the loads miss: it depends on how sets fill, and on which
// lines they replace.
//
// A list is visited in a cycle. A set that replaces the least recently used line misses all its
// lines once they are one more than its ways. A set that only knows of each line whether it was
// used lately (one bit a line: PLRUm in H. Al-Zoubi and others, Performance evaluation of cache
// replacement policies for the SPEC CPU2000 benchmark suite, ACM SE 42 (2004)) still finds some of
// them; where half are missed then was simulated. No interface says which it is. So the interval
// contains both, and the value is between them. A set that replaces at random finds more lines yet.
// Few caches do so: the value leaves that out, and the interval of a gentle rise contains it.
#include "latency/inference/capacity.hpp"

#include <algorithm>
#include <cmath>

#include "latency/inference/rules.hpp"

namespace tacho {
namespace {

constexpr const CapacityRules& kCapacity = kLatencyRules.capacity;

// Where half of the loads miss, in multiples of the capacity, and where a rare policy has it if
// that is farther.
struct HalfMiss {
  double least = 1, most = 1;
  double rare = 0;
};

// Half of the sets hold one line too many at 1 + 1/(2 ways).
HalfMiss in_turn(double ways) {
  return {1 + 0.5 / ways, 1 + kCapacity.in_turn_one_bit / ways};
}

// Sets fill at random on small pages, on huge ones that a hypervisor backs with small ones, and in
// caches that hash addresses. Beside a given line there are Poisson(λ) others. Half of the time
// they are as many as the ways, or more, at λ = ways - 1/3 (the median of a Poisson variable is 1/3
// above its mean: K. P. Choi, Proc. Am. Math. Soc. 121 (1994)).
HalfMiss at_random(double ways) {
  return {1 - 1 / (3 * ways),
          kCapacity.at_random_one_bit + kCapacity.at_random_one_bit_per_way / ways,
          filled_at_random(0.5, ways)};
}

// Whether sets fill in turn, which a steep rise shows. `quarters` is the ratio of the sizes at
// which three quarters and a quarter of the loads miss.
bool is_steep(double quarters, double ways) {
  return quarters < kCapacity.steep + kCapacity.steep_per_way / ways;
}

// If the ways are unknown, as in a TLB, a steep rise shows them: with LRU it begins at the
// capacity, and its quarters are as far apart as its half is from there. With one bit a line it
// begins later. A gentle rise is that of usual ways.
HalfMiss half_miss(double quarters, unsigned ways, bool orderly) {
  if (ways == 0)
    return quarters < kCapacity.steep_unknown_ways ? HalfMiss{1, quarters}
                                                   : at_random(kCapacity.usual_ways);
  if (orderly) return {in_turn(ways).least, in_turn(ways).least};
  return is_steep(quarters, ways) ? in_turn(ways) : at_random(ways);
}

}  // namespace

// missed = 1 - (1 - 1/ways)^(filled · ways · missed)
double filled_at_random(double missed, double ways) {
  return std::log1p(-missed) / (ways * missed * std::log1p(-1 / ways));
}

Capacity capacity_at(const Crossing& edge, unsigned ways, bool orderly) {
  const HalfMiss at = half_miss(std::exp2(edge.width), ways, orderly);
  return {std::exp2(edge.x) / ((at.least + at.most) / 2),
          {std::exp2(edge.low) / std::max(at.most, at.rare), std::exp2(edge.high) / at.least}};
}

}  // namespace tacho
