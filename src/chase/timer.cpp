#include "chase/timer.hpp"

#include <algorithm>
#include <cmath>

#include "tacho/ticks.hpp"

#if defined(__aarch64__) || defined(__arm__)
#include "pmu/arm_registers/status.hpp"
#endif

namespace tacho::chase {
namespace {

#if defined(__aarch64__) || defined(__arm__)
bool counts_cycles(int cpu) {
  const auto file = arm::StatusFile::open();
  if (!file) return false;
  const auto status = file->read();
  return status && !arm::objection(*status, cpu);
}

// The cycle counter's rate: that of the core's clock beside the ticks'.
double cycles_a_second() {
  return measure_core_clock().hz;
}
#endif

// A block of the fastest loads lasts 50 steps of the clock, or 50 times the doubt of one that is a
// system call.
unsigned block_times(const TickClock& clock) {
  constexpr double kClockSteps = 50, kFastest = 3, kCall = 50;  // cycles of a load; ns
  constexpr double kMost = 64;
  const double step = clock.source == TickSource::clock ? kCall : 1;
  const double cycles = kClockSteps * step * measure_core_clock().cycles_per_tick;
  return static_cast<unsigned>(std::clamp(std::ceil(cycles / (kBlock * kFastest)), 1.0, kMost));
}

}  // namespace

ChosenTimer choose_timer([[maybe_unused]] int cpu) {
#if defined(__aarch64__) || defined(__arm__)
  if (counts_cycles(cpu)) return {Timer::cycles, cycles_a_second(), "the core's cycle counter"};
#endif
  const TickClock clock = tick_clock();
  return {Timer::ticks, clock.hz, to_string(clock), block_times(clock)};
}

}  // namespace tacho::chase
