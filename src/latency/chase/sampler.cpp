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

constexpr const SampleRules& kSampling = kLatencyRules.sample;

// Walks so many steps, or until the deadline.
Link* warm(const Kernel& kernel, Link* at, std::size_t steps, Clock::time_point deadline,
           const Stop& stop) {
  for (std::size_t left = steps; left != 0 && !stop() && Clock::now() < deadline;) {
    const std::size_t piece = std::min(left, kSampling.steps_between_stops);
    at = kernel.walk(at, piece);
    left -= piece;
  }
  return at;
}

// The fastest of several chains: other work only makes them slower.
double chain_ticks(const Kernel& kernel, Link* at) {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < kSampling.chains; ++i) {
    const std::uint64_t begin = ordered_ticks();
    at = kernel.walk(at, kSampling.chain_steps);
    asm volatile("" ::"r"(at));
    least = std::min(least, ordered_ticks() - begin);
  }
  return static_cast<double>(least) / static_cast<double>(kSampling.chain_steps);
}

// The length of the list's blocks, in units of kBlock loads. A block of the fastest loads lasts
// long enough for the clock; a block of slow loads, as the single loads show them, need not last
// longer. Single loads below two steps of the clock show nothing.
unsigned times_of_block(const LatencySample& sample, const Effort& effort, double cycles_per_tick) {
  if (sample.singles.empty() || sample.bias.empty()) return effort.block_times;
  constexpr double kTypical = 0.5;
  const double ticks = static_cast<double>(sample.singles.quantile(kTypical)) -
                       static_cast<double>(sample.bias.quantile(kTypical));
  if (ticks < 2 * effort.step) return effort.block_times;
  const double cycles = (ticks - effort.step) * cycles_per_tick;
  const double times = effort.block_times * kSampling.fastest_load_cycles / cycles;
  return static_cast<unsigned>(
      std::clamp(std::ceil(times), 1.0, static_cast<double>(effort.block_times)));
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// Sets the clock of the sample, and what disturbed it.
void judge(LatencySample& sample, double disturbed_share, const CoreRate& before,
           const CoreRate& after) {
  const double moved = std::abs(after.cycles_per_tick / before.cycles_per_tick - 1);
  sample.cycles_per_tick = (before.cycles_per_tick + after.cycles_per_tick) / 2;
  sample.disturbed_share = disturbed_share;
  if (disturbed_share > 0) sample.disturbance = "the CPU was taken away";
  if (moved > kSampling.clock_moved) {
    sample.disturbed_share = 1;
    sample.disturbance = fmt::format("the core's clock moved by {}", percent(moved));
  } else if (std::max(before.spread, after.spread) > kSampling.chains_uneven) {
    sample.disturbed_share = 1;
    sample.disturbance = "the core's clock could not be measured";
  }
}

}  // namespace

CoreRate core_rate(Timer timer) {
  if (timer == Timer::cycles) return {};
  // Undisturbed chains agree. A few tries find such a moment on a busy machine, too. If the chains
  // never agree, another thread on the core delayed one of them: the faster one shows the clock.
  CoreClock best = measure_core_clock();
  for (int i = 1; i < kSampling.clock_tries && best.spread > kSampling.chains_even; ++i)
    if (const CoreClock next = measure_core_clock(); next.spread < best.spread) best = next;
  return {best.cycles_per_tick / (1 - best.spread / 2), best.spread};
}

Sampler::Sampler(Access access, Timer timer, Effort effort, Stop stop)
    : kernel_(kernel(access, timer)), timer_(timer), effort_(effort), stop_(std::move(stop)) {}

std::optional<LatencySample> Sampler::measure(const List& list, std::chrono::nanoseconds longest) {
  LatencySample sample;
  Route route(list, effort_.own_lines, stop_);
  empty_tlb();
  Link* at = warm(kernel_, list.begin(), effort_.walks * list.lines(),
                  Clock::now() + effort_.warming, stop_);
  const CoreRate before = core_rate(timer_);
  Slices singles(effort_.singles, before.cycles_per_tick);
  Slices blocks(effort_.blocks, before.cycles_per_tick);
  at = singles.collect(kernel_.singles, at, route, shared_core_, Clock::now() + longest, stop_);
  const Slices::Kept kept_singles = singles.add_to(sample.singles, sample.bias);
  const unsigned times = times_of_block(sample, effort_, before.cycles_per_tick);
  const auto take_blocks = [&](Link* from, std::span<Timed> samples) {
    return kernel_.blocks(from, times, samples);
  };
  at = blocks.collect(take_blocks, at, route, shared_core_, Clock::now() + longest, stop_);
  if (list.lines() <= 8 * kSampling.chain_steps && timer_ == Timer::ticks)
    sample.chain_ticks = chain_ticks(kernel_, at);
  const CoreRate after = core_rate(timer_);
  if (stop_()) return std::nullopt;
  const Slices::Kept kept_blocks = blocks.add_to(sample.blocks, sample.bias);
  sample.core_shared = kept_singles.shared || kept_blocks.shared;
  sample.step = effort_.step;
  sample.block_loads = static_cast<unsigned>(kBlock) * times;
  judge(sample, std::max(kept_singles.disturbed, kept_blocks.disturbed), before, after);
  return sample;
}

}  // namespace tacho::chase
