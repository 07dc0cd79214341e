// How far beyond the capacity half of the loads miss: by how sets fill and how they make room.
//
// A list is visited in a cycle. A set misses all its lines once it holds one more than ways, if it
// makes room by the order of use (least recently used). One that knows of each line no more than
// whether it was used lately (one bit a line: PLRUm in H. Al-Zoubi and others, Performance
// evaluation of cache replacement policies for the SPEC CPU2000 benchmark suite, ACM SE 42 (2004))
// still finds some of them; where half are missed then was simulated. Nobody tells which it is:
// both are within the interval, and the value between them. A set that takes any line finds more
// yet. Few caches do, so that the value leaves that out, but an interval of a gentle rise has it.
#include "latency/inference/capacity.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Where half of the loads miss, in capacities; and where seldom, if that is farther.
struct HalfMiss {
  double least = 1, most = 1;
  double seldom = 0;
};

// Sets that fill in turn are half too full at 1 + 1/(2 ways); with one bit a line, half of the
// loads miss at 1 + 0.9/ways.
HalfMiss in_turn(double ways) {
  return {1 + 0.5 / ways, 1 + 0.9 / ways};
}

// Sets fill at random on small pages, on huge ones that a hypervisor made of them, and in caches
// that hash addresses. Beside a given line lie Poisson(λ) others, half of the time as many as ways
// or more at λ = ways - 1/3 (the median of a Poisson variable is 1/3 above its mean: K. P. Choi,
// Proc. Am. Math. Soc. 121 (1994)); with one bit a line, half miss at 1.05 + 0.3/ways.
HalfMiss at_random(double ways) {
  return {1 - 1 / (3 * ways), 1.05 + 0.3 / ways, filled_at_random(0.5, ways)};
}

// How steep the rise is tells how sets fill: in turn, a quarter of the loads and three quarters
// miss at sizes less than 1 + 1.8/ways apart, at random more than 1.22 + 3.2/ways.
bool is_steep(double quarters, double ways) {
  return quarters < 1.11 + 2.5 / ways;
}

// Where the ways are unknown, as in a TLB, a steep rise tells them: least recently used, it begins
// at the capacity, and its quarters lie as far apart as its half does from there. With one bit a
// line it begins later. What is not steep is taken to have as many ways as most.
constexpr double kSteep = 1.2;
constexpr double kUsualWays = 8;

HalfMiss half_miss(double quarters, unsigned ways, bool orderly) {
  if (ways == 0) return quarters < kSteep ? HalfMiss{1, quarters} : at_random(kUsualWays);
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
          {std::exp2(edge.low) / std::max(at.most, at.seldom), std::exp2(edge.high) / at.least}};
}

}  // namespace tacho
