#include "latency/chase/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "latency/chase/memory.hpp"
#include "latency/chase/slices.hpp"
#include "tacho/ticks.hpp"

namespace tacho::chase {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kStepsAPiece = 1U << 14U;  // steps between two looks at the time
constexpr std::size_t kChain = 1U << 12U;
constexpr int kChains = 9;
constexpr double kMoved = 0.02;   // of the clock, from begin to end
constexpr double kUneven = 0.05;  // CoreClock::spread
constexpr double kEven = 0.0025;

// Walks so many steps, or until the deadline.
Link* warm(const Kernel& kernel, Link* at, std::size_t steps, Clock::time_point deadline,
           const Stop& stop) {
  for (std::size_t left = steps; left != 0 && !stop() && Clock::now() < deadline;) {
    const std::size_t piece = std::min(left, kStepsAPiece);
    at = kernel.walk(at, piece);
    left -= piece;
  }
  return at;
}

// The fastest of some: only others make a chain slower.
double chain_ticks(const Kernel& kernel, Link* at) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < kChains; ++i) {
    const std::uint64_t begin = ordered_ticks();
    at = kernel.walk(at, kChain);
    asm volatile("" ::"r"(at));
    least = std::min(least, ordered_ticks() - begin);
  }
  return static_cast<double>(least) / static_cast<double>(kChain);
}

// So many times 64 loads make a block of a list as these single loads show it: a block of the
// fastest ones lasts long enough for the clock, and one of slow loads need not last longer. Steps
// of the clock hide what takes less than two of them.
unsigned times_of_block(const LatencySample& sample, const Effort& effort, double cycles_per_tick) {
  if (sample.singles.empty() || sample.bias.empty()) return effort.block_times;
  constexpr double kTypical = 0.5;
  const double ticks = static_cast<double>(sample.singles.quantile(kTypical)) -
                       static_cast<double>(sample.bias.quantile(kTypical));
  if (ticks < 2 * effort.step) return effort.block_times;
  const double cycles = (ticks - effort.step) * cycles_per_tick;
  const double times = effort.block_times * kFastestLoad / cycles;
  return static_cast<unsigned>(
      std::clamp(std::ceil(times), 1.0, static_cast<double>(effort.block_times)));
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// What there is to say against a size, and how much of it that touches.
void judge(LatencySample& sample, double spoilt, const Rate& before, const Rate& after) {
  const double moved = std::abs(after.cycles_per_tick / before.cycles_per_tick - 1);
  sample.cycles_per_tick = (before.cycles_per_tick + after.cycles_per_tick) / 2;
  sample.disturbed_share = spoilt;
  if (spoilt > 0) sample.disturbance = "the CPU was taken away";
  if (moved > kMoved) {
    sample.disturbed_share = 1;
    sample.disturbance = fmt::format("the core's clock moved by {}", percent(moved));
  } else if (std::max(before.spread, after.spread) > kUneven) {
    sample.disturbed_share = 1;
    sample.disturbance = "the core's clock could not be told";
  }
}

}  // namespace

Rate core_rate(Timer timer) {
  if (timer == Timer::cycles) return {};
  // Undisturbed, the chains agree; a few tries find such a moment also on a busy machine. Where
  // they never do, a core that shares its ports with another thread has held one of them up: the
  // faster one tells the clock.
  constexpr int kTries = 4;
  CoreClock best = measure_core_clock();
  for (int i = 1; i < kTries && best.spread > kEven; ++i)
    if (const CoreClock next = measure_core_clock(); next.spread < best.spread) best = next;
  return {best.cycles_per_tick / (1 - best.spread / 2), best.spread};
}

Sampler::Sampler(Access access, Timer timer, Effort effort, Stop stop)
    : kernel_(kernel(access, timer)), timer_(timer), effort_(effort), stop_(std::move(stop)) {}

std::optional<SizeRun> Sampler::measure(const List& list, std::chrono::nanoseconds longest) {
  SizeRun run;
  LatencySample& sample = run.sample;
  Route route(list, effort_.own_lines, stop_);
  empty_tlb();
  Link* at = warm(kernel_, list.begin(), effort_.walks * list.lines(),
                  Clock::now() + effort_.warming, stop_);
  const Rate before = core_rate(timer_);
  Slices singles(effort_.singles, before.cycles_per_tick);
  Slices blocks(effort_.blocks, before.cycles_per_tick);
  at = singles.collect(kernel_.singles, at, route, company_, Clock::now() + longest, stop_);
  const Slices::Kept kept_singles = singles.put(sample.singles, sample.bias);
  const unsigned times = times_of_block(sample, effort_, before.cycles_per_tick);
  const auto take_blocks = [&](Link* from, std::span<Timed> samples) {
    return kernel_.blocks(from, times, samples);
  };
  at = blocks.collect(take_blocks, at, route, company_, Clock::now() + longest, stop_);
  if (list.lines() <= 8 * kChain && timer_ == Timer::ticks)
    run.chain_ticks = chain_ticks(kernel_, at);
  const Rate after = core_rate(timer_);
  if (stop_()) return std::nullopt;
  const Slices::Kept kept_blocks = blocks.put(sample.blocks, sample.bias);
  sample.core_shared = kept_singles.shared || kept_blocks.shared;
  sample.step = effort_.step;
  sample.block_loads = static_cast<unsigned>(kBlock) * times;
  judge(sample, std::max(kept_singles.disturbed, kept_blocks.disturbed), before, after);
  return run;
}

}  // namespace tacho::chase
