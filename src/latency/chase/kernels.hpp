// The inner loops: they walk a list, and time loads on the way.
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

// Two times, in ticks. A dummy pair of readings comes before them, which warms up the clock
// reading.
struct Timed {
  std::uint32_t empty;   // between two readings
  std::uint32_t loaded;  // the same, with accesses between
};
inline constexpr std::size_t kBlock = 64;
inline constexpr std::size_t kMostChases = 16;

// The loops for one access and one timer. They go on from `at` and return where they end.
struct Kernel {
  Link* (*walk)(Link* at, std::size_t steps);
  // A sample after every few steps, 8 on average. Their number is random, so that the samples are
  // not of the same lines each time.
  Link* (*singles)(Link* at, std::span<Timed> samples);
  // A sample is `times` kBlock accesses.
  Link* (*blocks)(Link* at, unsigned times, std::span<Timed> samples);
  // Ticks of `blocks` times kBlock accesses of each of 1 to kMostChases independent chases. They go
  // on from the elements of `at`, which are then where they end.
  std::uint64_t (*parallel)(std::span<Link*> at, std::size_t blocks);
};
Kernel kernel(Access access, Timer timer);

}  // namespace tacho::chase
