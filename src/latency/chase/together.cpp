#include "latency/chase/together.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

#include "stats/quantile.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kStretches = 101;
constexpr std::size_t kBlocks = 8;  // of a stretch
constexpr std::chrono::milliseconds kWarming{50};
constexpr double kFastest = 0.2;  // of the stretches: others were disturbed, perhaps

}  // namespace

std::optional<Estimated> together_ns(const List& list, unsigned chases, Access access,
                                     const Stop& stop) {
  const auto together = kernel(access, Timer::ticks).together;
  std::vector<Link*> at;
  for (std::size_t i = 0; i < chases; ++i) at.push_back(list.place(i * list.lines() / chases));
  const auto deadline = std::chrono::steady_clock::now() + kWarming;
  for (std::size_t walked = 0; walked < 2 * list.lines() && !stop();
       walked += kBlocks * kBlock * chases) {
    together(at, kBlocks);
    if (std::chrono::steady_clock::now() >= deadline) break;
  }
  std::vector<std::uint64_t> ticks;
  for (std::size_t i = 0; i < kStretches && !stop(); ++i) ticks.push_back(together(at, kBlocks));
  if (ticks.size() < kStretches) return std::nullopt;
  const double accesses = static_cast<double>(kBlocks * kBlock * chases);
  return scaled(quantile95_in_order(ticks, kFastest), 1e9 / (accesses * tick_clock().hz));
}

}  // namespace tacho::chase
