#include "simulation/core_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tacho {
namespace {

constexpr std::uint64_t kRounds = 1'600;
constexpr std::uint64_t kAdditions = 64;  // in a round
constexpr double kGreatestSpread = 0.02;
constexpr std::size_t kChains = 64;
constexpr std::chrono::milliseconds kWarmUp{8};  // a core that was idle raises its clock

// A chain of additions of registers: each needs the result of the one before, and takes one cycle.
// (Additions of constants would not do: some processors execute them while renaming.)
#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kKnown = true;
void add_in_a_chain() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
#if defined(__x86_64__)
    asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(i) : "cc");
#else
    asm volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(i));
#endif
  }
}
#else
constexpr bool kKnown = false;
void add_in_a_chain() {}
#endif

}  // namespace

std::optional<CoreClock> clock_of_chains(std::span<const double> seconds, std::uint64_t cycles) {
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::ranges::sort(sorted);
  const std::size_t quarter = sorted.size() / 4;
  if (quarter == 0 || sorted.front() <= 0) return std::nullopt;
  const double spread = sorted[quarter - 1] / sorted.front() - 1;
  if (spread > kGreatestSpread) return std::nullopt;
  constexpr double kStep = 10e6;  // Hz
  const double hz = static_cast<double>(cycles) / sorted[quarter / 2];
  return CoreClock{static_cast<std::uint64_t>(std::round(hz / kStep) * kStep), spread};
}

std::optional<CoreClock> measured_core_clock() {
  using Clock = std::chrono::steady_clock;
  if (!kKnown) return std::nullopt;
  for (const auto end = Clock::now() + kWarmUp; Clock::now() < end;) add_in_a_chain();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kChains; ++i) {
    const auto begin = Clock::now();
    add_in_a_chain();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return clock_of_chains(seconds, kRounds * kAdditions);
}

}  // namespace tacho
