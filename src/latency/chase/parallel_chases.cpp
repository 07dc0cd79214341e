#include "latency/chase/parallel_chases.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

#include "latency/inference/rules.hpp"
#include "stats/quantile.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {
namespace {

constexpr const ParallelRules& kParallel = kLatencyRules.parallel;

}  // namespace

std::optional<Estimated> parallel_chase_ns(const List& list, unsigned chases, Access access,
                                           const Stop& stop) {
  const auto walk_all = kernel(access, Timer::ticks).parallel;
  std::vector<Link*> at;
  for (std::size_t i = 0; i < chases; ++i) at.push_back(list.place(i * list.lines() / chases));
  const auto deadline = std::chrono::steady_clock::now() + kParallel.warming;
  for (std::size_t walked = 0; walked < 2 * list.lines() && !stop();
       walked += kParallel.stretch_blocks * kBlock * chases) {
    walk_all(at, kParallel.stretch_blocks);
    if (std::chrono::steady_clock::now() >= deadline) break;
  }
  std::vector<std::uint64_t> ticks;
  for (std::size_t i = 0; i < kParallel.stretches && !stop(); ++i)
    ticks.push_back(walk_all(at, kParallel.stretch_blocks));
  if (ticks.size() < kParallel.stretches) return std::nullopt;
  const double accesses = static_cast<double>(kParallel.stretch_blocks * kBlock * chases);
  return scaled(quantile95_in_order(ticks, kParallel.fastest), 1e9 / (accesses * tick_clock().hz));
}

}  // namespace tacho::chase
