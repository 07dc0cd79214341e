// The inner loops: walking a list, and timing loads on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "latency/chase/list.hpp"

namespace tacho::chase {

enum class Access { load, write, atomic };
std::string_view to_string(Access access);

enum class Timer {
  ticks,   // tacho::ticks(): of one rate
  cycles,  // tacho::arm_cycles(), where they may be read
};

// Two stretches of the clock, both right behind a dummy pair of readings, which brings back what
// the clock's reading itself needs: nothing but the two readings, and the same with accesses
// between.
struct Timed {
  std::uint32_t empty;
  std::uint32_t loaded;
};
inline constexpr std::size_t kBlock = 64;
inline constexpr double kFastestLoad = 3;  // cycles: of the fastest loads that cores have
inline constexpr std::size_t kMostChases = 16;

// One access and one timer. All go on from `at`, and say where they arrived.
struct Kernel {
  Link* (*walk)(Link* at, std::size_t steps);
  // A sample after every few steps: 8 on average, at random, so that it is not always the same
  // lines'.
  Link* (*singles)(Link* at, std::span<Timed> samples);
  // A sample is `times` kBlock accesses.
  Link* (*blocks)(Link* at, unsigned times, std::span<Timed> samples);
  // Ticks of `blocks` times kBlock accesses of each of several independent chases, of 1 to
  // kMostChases: they start at `at[0]` and on, and are left where they arrived.
  std::uint64_t (*together)(std::span<Link*> at, std::size_t blocks);
};
Kernel kernel(Access access, Timer timer);

}  // namespace tacho::chase
