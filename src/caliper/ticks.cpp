// The clock behind ticks(), its rate, and the frequency of the core (include/tacho/ticks.hpp).
#include "tacho/ticks.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "base/published.hpp"
#include "caliper/both_clocks.hpp"
#include "stats/quantile.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__arm__)
#include <sys/auxv.h>
#endif

namespace tacho::inline v0 {
namespace {

constexpr double kNanosecond = 1e-9;

#if defined(__x86_64__) || defined(__i386__)
using caliper::nanoseconds_of;

struct Moment : caliper::BothClocks {
  std::uint64_t suspended_ns;  // how long the machine has been suspended since it was started
};

Moment moment_now() {
  return {caliper::read_both_clocks(CLOCK_MONOTONIC_RAW),
          nanoseconds_of(CLOCK_BOOTTIME) - nanoseconds_of(CLOCK_MONOTONIC)};
}

// Taken when the program starts, so that tick_clock() need not wait later.
const Moment& first_moment() {
  static constinit Published<const Moment> first;
  return first.get(moment_now);
}
[[gnu::constructor]] void take_first_moment() {
  first_moment();
}

// A second moment, at least 20 ms after the first.
Moment moment_after(const Moment& begin) {
  constexpr std::int64_t kApart = 20'000'000;
  const auto passed = static_cast<std::int64_t>(nanoseconds_of(CLOCK_MONOTONIC_RAW) - begin.ns);
  if (passed < kApart) {
    const timespec nap{0, std::min(kApart - passed, kApart)};
    ::nanosleep(&nap, nullptr);
  }
  return moment_now();
}

// While the machine is suspended, CLOCK_MONOTONIC_RAW stops. The counter goes on or restarts at 0.
bool suspended_between(const Moment& begin, const Moment& end) {
  constexpr std::int64_t kBetweenReadings = 1'000'000;  // ns that can pass between two readings
  return std::abs(static_cast<std::int64_t>(end.suspended_ns - begin.suspended_ns)) >
             kBetweenReadings ||
         end.ticks <= begin.ticks || end.ns <= begin.ns;
}

TickClock measure(TickSource source, bool wall_like) {
  Moment begin = first_moment();
  Moment end = moment_after(begin);
  // An interrupt between the readings of two clocks looks like a suspend, so try a few times.
  for (int i = 0; i < 3 && suspended_between(begin, end); ++i) {
    begin = moment_now();
    end = moment_after(begin);
  }
  const double seconds = static_cast<double>(end.ns - begin.ns) * kNanosecond;
  const double hz = static_cast<double>(end.ticks - begin.ticks) / seconds;
  const double error = static_cast<double>(begin.error_ns + end.error_ns) / 2 * kNanosecond;
  return {source, wall_like, hz, hz * error / seconds};
}
#endif

TickClock find_clock() {
#if defined(__x86_64__) || defined(__i386__)
  // CPUID 80000007H, EDX bit 8: the TSC has the same rate in all power states.
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
  return measure(TickSource::tsc, invariant);
#elif defined(__aarch64__)
  std::uint64_t hz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
  return {TickSource::cntvct, true, static_cast<double>(hz), 0};
#else
  if (detail::tick_source == TickSource::clock) return {TickSource::clock, true, 1e9, 0};
  std::uint32_t hz = 0;
  asm volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
  return {TickSource::cntvct, true, static_cast<double>(hz), 0};
#endif
}

// Chains in which each step waits for the step before. The additions have no immediate operand,
// because recent cores fold such additions without executing them. The rotations are not by one,
// because those merge flags.
#if defined(__x86_64__) || defined(__i386__)
#define TACHO_ADD "add %1, %0\n"
#define TACHO_ROTATE "rol $7, %0\n"
#else
#define TACHO_ADD "add %0, %0, %1\n"
#define TACHO_ROTATE "ror %0, %0, #7\n"
#endif
#define TACHO_8(step) step step step step step step step step
#define TACHO_64(step) TACHO_8(TACHO_8(step))
constexpr int kSteps = 64;
constexpr int kShort = 16;  // rounds
constexpr int kLong = 80;

std::uint64_t ticks_of_additions(int rounds) {
  std::uintptr_t value = 1;
  const std::uintptr_t step = 3;
  const std::uint64_t begin = ordered_ticks();
  for (int i = 0; i < rounds; ++i) asm volatile(TACHO_64(TACHO_ADD) : "+r"(value) : "r"(step));
  return ordered_ticks() - begin;
}

std::uint64_t ticks_of_rotations(int rounds) {
  std::uintptr_t value = 1;
  const std::uint64_t begin = ordered_ticks();
  for (int i = 0; i < rounds; ++i) asm volatile(TACHO_64(TACHO_ROTATE) : "+r"(value));
  return ordered_ticks() - begin;
}

using Chain = std::uint64_t (*)(int rounds);

// The median, because interrupts lengthen some runs, and the frequency can change.
double median_ticks(Chain chain, int rounds) {
  std::vector<double> taken(15);
  for (double& each : taken) each = static_cast<double>(chain(rounds));
  return median(taken);
}

// The cost of the timing is part of both lengths, so their difference does not contain it.
double ticks_of_a_step(Chain chain) {
  const double begin = median_ticks(chain, kShort);
  return (median_ticks(chain, kLong) - begin) / ((kLong - kShort) * kSteps);
}

// If some pairs of readings are equal, the clock is slower than its reading: the step is their
// smallest difference. Else it is what all differences have in common; the work between the
// readings varies, so that they differ.
double find_step() {
  std::uint64_t common = 0;
  std::uint64_t smallest = ~std::uint64_t{0};
  bool slow = false;
  for (unsigned pair = 0; pair < 200; ++pair) {
    std::uintptr_t value = 1;
    const std::uint64_t begin = ticks();
    for (unsigned i = 0; i < pair % 29; ++i)
      asm volatile(TACHO_ADD : "+r"(value) : "r"(std::uintptr_t{3}));
    const std::uint64_t passed = ticks() - begin;
    slow = slow || passed == 0;
    if (passed == 0) continue;
    common = std::gcd(common, passed);
    smallest = std::min(smallest, passed);
  }
  if (common == 0) return 1;
  return static_cast<double>(slow ? smallest : common);
}

}  // namespace

#if defined(__arm__)
// The kernel sets HWCAP_EVTSTRM (bit 21) if it uses the generic timer. It then lets user space read
// CNTVCT. ARMv6 and the first ARMv7 cores have no such timer.
TickSource detail::tick_source =
    (::getauxval(AT_HWCAP) & (1UL << 21U)) != 0 ? TickSource::cntvct : TickSource::clock;
std::uint64_t detail::clock_ticks() noexcept {
  return caliper::nanoseconds_of(CLOCK_MONOTONIC);
}
#endif

TickClock tick_clock() {
  static constinit Published<const TickClock> clock;
  return clock.get(find_clock);
}

double tick_step() {
  static constinit Published<const double> step;
  return step.get(find_step);
}

CoreClock measure_core_clock() {
  const double addition = ticks_of_a_step(ticks_of_additions);
  const double rotation = ticks_of_a_step(ticks_of_rotations);
  const double step = (addition + rotation) / 2;
  return {1 / step, tick_clock().hz / step, std::abs(addition - rotation) / step};
}

std::string to_string(const TickClock& clock) {
  constexpr std::array kNames = {"TSC", "CNTVCT", "CLOCK_MONOTONIC"};
  return fmt::format("{} at {:.4g} GHz, {}", kNames[static_cast<std::size_t>(clock.source)],
                     clock.hz * kNanosecond, clock.wall_like ? "wall-like" : "CPU-like");
}

}  // namespace tacho::inline v0
