// How many threads ran at the same time: those that live, without those that were off the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wall/thread_states.hpp"

namespace tacho {

// From this time on so many threads ran, until the next level.
struct RunningLevel {
  std::uint64_t from_ns = 0;
  std::size_t running = 0;
};

// In the order of time. A thread counts only while it is known to run. `absences`: of these
// threads.
std::vector<RunningLevel> running_levels(std::span<const ThreadTimes> threads,
                                         std::span<const TimeOff> absences);

// How many ran at this time.
std::size_t running_at(std::span<const RunningLevel>, std::uint64_t time_ns);

// Adds for how long so many threads ran between two times, in ns, by their number.
void add_time_by_level(std::span<const RunningLevel>, std::uint64_t from_ns, std::uint64_t to_ns,
                       std::vector<std::uint64_t>& time_by_level);

}  // namespace tacho
