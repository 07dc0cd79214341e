#include "latency/chase/timer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "latency/inference/rules.hpp"
#include "stats/histogram.hpp"
#include "stats/quantile.hpp"
#include "tacho/ticks.hpp"

#if defined(__aarch64__) || defined(__arm__)
#include "events/catalogue.hpp"
#include "pmu/registers/module_status.hpp"
#endif

namespace tacho::chase {
namespace {

constexpr const ClockRules& kClock = kLatencyRules.clock;

#if defined(__aarch64__) || defined(__arm__)
// The core whose register arm_cycles() reads is fixed at compile time.
constexpr bool kReadsArm1176 = __ARM_ARCH < 7;

bool counts_cycles(int cpu) {
  const auto file = arm::StatusFile::open();
  if (!file) return false;
  const auto status = file->read();
  return status && !arm::objection(*status, cpu) &&
         (status->architecture == arm::Architecture::armv6) == kReadsArm1176;
}

#if defined(__aarch64__)
// While it exists, the register that arm_cycles() reads counts this thread's cycles. Empty if the
// kernel does not let user space read it.
SelfGroup readable_cycles() {
  constexpr std::uint32_t kCycleCounter = 32;  // in the pages of arm64's kernel
  constexpr std::array<std::size_t, 1> kOnly = {0};
  auto cycles = Catalogue().resolve("cycles:u");
  if (!cycles) return {};
  cycles->pinned = true;
  std::array<std::optional<Error>, 1> refused;
  SelfGroup group(std::span(&*cycles, 1), kOnly, {.inherit = false, .user_reads = true}, refused);
  if (!group.by_registers() || !group.turn(true) || group.obstacle()) return {};
  if (group.pages().front().get().memory->index != kCycleCounter) return {};
  const std::uint64_t before = arm_cycles();
  (void)measure_core_clock();
  return arm_cycles() == before ? SelfGroup() : std::move(group);
}
#endif

// The rate of the cycle counter, measured with the ticks. The median of several stretches, because
// other work may interrupt.
double cycles_a_second() {
  const TickClock clock = tick_clock();
  std::vector<double> rates(kClock.rate_stretches);
  for (double& rate : rates) {
    const std::uint64_t begin = ordered_ticks();
    const ArmCycles before = ordered_arm_cycles();
    (void)measure_core_clock();  // takes about 100 µs
    const ArmCycles cycles = ordered_arm_cycles() - before;
    rate = static_cast<double>(cycles) / static_cast<double>(ordered_ticks() - begin) * clock.hz;
  }
  return median(rates);
}
#endif

// The step of the clock, from many readings with more and less work between them: only the step is
// regular.
double step_of_ticks() {
  Histogram between;
  std::uint64_t last = ordered_ticks();
  for (int i = 0; i < kClock.readings; ++i) {
    for (unsigned work = static_cast<unsigned>(i) % kClock.most_work; work != 0; --work)
      asm volatile("" ::: "memory");
    const std::uint64_t now = ordered_ticks();
    between.add(now - last, 1);
    last = now;
  }
  return usual_step(between);
}

// The length of blocks, in units of kBlock loads: a block of the fastest loads lasts many steps of
// the clock.
unsigned block_times(const TickClock& clock, double step_ticks) {
  const double step = clock.source == TickSource::clock ? kClock.call_ns : step_ticks;
  const double cycles = kClock.block_steps * step * measure_core_clock().cycles_per_tick;
  const double fastest = kBlock * kLatencyRules.sample.fastest_load_cycles;
  return static_cast<unsigned>(
      std::clamp(std::ceil(cycles / fastest), 1.0, kClock.most_block_times));
}

}  // namespace

ChosenTimer choose_timer([[maybe_unused]] int cpu) {
#if defined(__aarch64__) || defined(__arm__)
  if (counts_cycles(cpu)) return {Timer::cycles, cycles_a_second(), "the core's cycle counter"};
#endif
#if defined(__aarch64__)
  if (SelfGroup opened = readable_cycles(); !opened.empty())
    return {Timer::cycles, cycles_a_second(), "the core's cycle counter", 1, 1, std::move(opened)};
#endif
  const TickClock clock = tick_clock();
  const double step = step_of_ticks();
  return {Timer::ticks, clock.hz, to_string(clock), step, block_times(clock, step)};
}

}  // namespace tacho::chase
