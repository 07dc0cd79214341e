// caliper: self-measurement, the half of tacho that other programs are built with (include/tacho/).
// Here: what the clock of ticks() is, and how it goes with the core's own.
#include "tacho/ticks.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__arm__)
#include <sys/auxv.h>
#endif

namespace tacho::inline v0 {
namespace {

constexpr double kNanosecond = 1e-9;

[[maybe_unused]] std::uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

#if defined(__x86_64__) || defined(__i386__)
// A moment on both clocks: the tightest of a few, since an interrupt may come between the readings.
struct Moment {
  std::uint64_t ticks;
  std::uint64_t ns;
  std::uint64_t doubt_ns;
  std::uint64_t asleep_ns;  // for which the machine has been suspended
};

Moment look_at_both() {
  Moment best{0, 0, ~std::uint64_t{0}, 0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = nanoseconds_of(CLOCK_MONOTONIC_RAW);
    const std::uint64_t now = ordered_ticks();
    const std::uint64_t after = nanoseconds_of(CLOCK_MONOTONIC_RAW);
    if (after - before < best.doubt_ns)
      best = {now, before + (after - before) / 2, after - before, 0};
  }
  best.asleep_ns = nanoseconds_of(CLOCK_BOOTTIME) - nanoseconds_of(CLOCK_MONOTONIC);
  return best;
}

// As the program begins, so that whoever asks for the rate later need not wait for a second moment.
const Moment& first_moment() {
  static const Moment first = look_at_both();
  return first;
}
[[gnu::constructor]] void begin_with_the_program() {
  first_moment();
}

// A moment far enough from the beginning.
Moment moment_after(const Moment& begin) {
  constexpr std::int64_t kApart = 20'000'000;
  const auto passed = static_cast<std::int64_t>(nanoseconds_of(CLOCK_MONOTONIC_RAW) - begin.ns);
  if (passed < kApart) {
    const timespec nap{0, std::min(kApart - passed, kApart)};
    ::nanosleep(&nap, nullptr);
  }
  return look_at_both();
}

// While the machine is suspended, CLOCK_MONOTONIC_RAW stands still, and the counter goes on or
// begins anew.
bool suspended_between(const Moment& begin, const Moment& end) {
  constexpr std::int64_t kReadings = 1'000'000;  // what may pass between the readings of two clocks
  return std::abs(static_cast<std::int64_t>(end.asleep_ns - begin.asleep_ns)) > kReadings ||
         end.ticks <= begin.ticks || end.ns <= begin.ns;
}

TickClock measure(TickSource source, bool wall_like) {
  Moment begin = first_moment();
  Moment end = moment_after(begin);
  // Two clocks read with an interrupt between them look like a suspend, too: hence a few times.
  for (int i = 0; i < 3 && suspended_between(begin, end); ++i) {
    begin = look_at_both();
    end = moment_after(begin);
  }
  const double seconds = static_cast<double>(end.ns - begin.ns) * kNanosecond;
  const double hz = static_cast<double>(end.ticks - begin.ticks) / seconds;
  const double doubt = static_cast<double>(begin.doubt_ns + end.doubt_ns) / 2 * kNanosecond;
  return {source, wall_like, hz, hz * doubt / seconds};
}
#endif

TickClock find_clock() {
#if defined(__x86_64__) || defined(__i386__)
  // CPUID 80000007H, EDX bit 8: the TSC runs at one rate in all states.
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

// Chains whose every step waits for the one before. An immediate operand would not do for
// additions: recent cores fold those without executing them. Nor would rotations by one, which
// merge flags.
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

// The median: interrupts only ever add, and the clock may change.
double usual(Chain chain, int rounds) {
  std::array<std::uint64_t, 15> taken{};
  for (std::uint64_t& each : taken) each = chain(rounds);
  const auto middle = taken.begin() + taken.size() / 2;
  std::ranges::nth_element(taken, middle);
  return static_cast<double>(*middle);
}

// What the timing itself costs is in both lengths, and falls out.
double ticks_of_a_step(Chain chain) {
  const double begin = usual(chain, kShort);
  return (usual(chain, kLong) - begin) / ((kLong - kShort) * kSteps);
}

}  // namespace

#if defined(__arm__)
// The kernel sets the flag of the event stream where it drives the generic timer, which it then
// lets user space read; ARMv6 and the first ARMv7 cores have none.
TickSource detail::tick_source =
    (::getauxval(AT_HWCAP) & (1UL << 21U)) != 0 ? TickSource::cntvct : TickSource::clock;
std::uint64_t detail::clock_ticks() noexcept {
  return nanoseconds_of(CLOCK_MONOTONIC);
}
#endif

TickClock tick_clock() {
  static const TickClock clock = find_clock();
  return clock;
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
