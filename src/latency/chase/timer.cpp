#include "latency/chase/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "stats/histogram.hpp"
#include "tacho/ticks.hpp"

#if defined(__aarch64__) || defined(__arm__)
#include "events/catalogue.hpp"
#include "pmu/registers/module_status.hpp"
#endif

namespace tacho::chase {
namespace {

#if defined(__aarch64__) || defined(__arm__)
// Of which arm_cycles() reads the register: that was settled when it was compiled.
constexpr bool kReadsArm1176 = __ARM_ARCH < 7;

bool counts_cycles(int cpu) {
  const auto file = arm::StatusFile::open();
  if (!file) return false;
  const auto status = file->read();
  return status && !arm::objection(*status, cpu) &&
         (status->architecture == arm::Architecture::armv6) == kReadsArm1176;
}

#if defined(__aarch64__)
// This thread's cycles, while it is there, in the register that arm_cycles() reads; empty where the
// kernel does not let user space read it.
SelfGroup readable_cycles() {
  constexpr std::uint32_t kCycleCounter = 32;  // in the pages of arm64's kernel
  constexpr std::array<std::size_t, 1> kIt = {0};
  auto cycles = Catalogue().resolve("cycles:u");
  if (!cycles) return {};
  cycles->pinned = true;
  std::array<std::optional<Error>, 1> refused;
  SelfGroup group(std::span(&*cycles, 1), kIt, {.inherit = false, .user_reads = true}, refused);
  if (!group.by_registers() || !group.turn(true) || group.obstacle()) return {};
  if (group.pages().front().get().memory->index != kCycleCounter) return {};
  const std::uint64_t before = arm_cycles();
  (void)measure_core_clock();
  return arm_cycles() == before ? SelfGroup() : std::move(group);
}
#endif

// The cycle counter's rate beside the ticks': what time is told by, whatever the core takes for
// what. The median, for others may interrupt.
double cycles_a_second() {
  constexpr std::size_t kStretches = 9;
  const TickClock clock = tick_clock();
  std::array<double, kStretches> rates{};
  for (double& rate : rates) {
    const std::uint64_t begin = ordered_ticks();
    const ArmCycles before = ordered_arm_cycles();
    (void)measure_core_clock();  // for some 100 µs
    const ArmCycles cycles = ordered_arm_cycles() - before;
    rate = static_cast<double>(cycles) / static_cast<double>(ordered_ticks() - begin) * clock.hz;
  }
  std::ranges::nth_element(rates, rates.begin() + kStretches / 2);
  return rates[kStretches / 2];
}
#endif

// Reads the clock again and again, after more and less work, so that nothing but its steps is
// regular.
double step_of_ticks() {
  constexpr int kReadings = 4096;
  constexpr unsigned kMostWork = 16;
  Histogram between;
  std::uint64_t last = ordered_ticks();
  for (int i = 0; i < kReadings; ++i) {
    for (unsigned work = static_cast<unsigned>(i) % kMostWork; work != 0; --work)
      asm volatile("" ::: "memory");
    const std::uint64_t now = ordered_ticks();
    between.add(now - last, 1);
    last = now;
  }
  return usual_step(between);
}

// A block of the fastest loads lasts 50 steps of the clock, or 50 times the doubt of one that is a
// system call.
unsigned block_times(const TickClock& clock, double step_ticks) {
  constexpr double kClockSteps = 50, kCall = 50;  // ns
  constexpr double kMost = 64;
  const double step = clock.source == TickSource::clock ? kCall : step_ticks;
  const double cycles = kClockSteps * step * measure_core_clock().cycles_per_tick;
  return static_cast<unsigned>(std::clamp(std::ceil(cycles / (kBlock * kFastestLoad)), 1.0, kMost));
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
  std::string name = to_string(clock);
  if (step > 1) name += fmt::format(", in steps of {:.4g}", step);
  return {Timer::ticks, clock.hz, std::move(name), step, block_times(clock, step)};
}

}  // namespace tacho::chase
