// What the end of a recording waited for: from there back in time, along the thread that ran, and
// from each wait to the thread that ended it, by a wake-up or by its own end. To make what is on
// this path shorter makes the program shorter; the rest does not (until the path changes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wall/thread_states.hpp"

namespace tacho {

// A part of the path, in one thread and one state.
struct PathStep {
  std::int32_t tid = -1;
  std::uint64_t begin_ns = 0, end_ns = 0;
  ThreadState state = ThreadState::running;
  // Of a time off the CPU: its number in `absences`.
  std::size_t absence = 0;
  std::uint64_t length_ns() const { return end_ns - begin_ns; }
};

// From the beginning to the end, without gaps. It begins where the thread that it has come to was
// there before the recording. It follows waits whose wake-ups are recorded, and stays in the
// others. `last`: the thread whose end is explained. Both lists are in the order of time,
// `absences` at least for each thread. Takes as long as sorting the absences.
std::vector<PathStep> critical_path(std::span<const ThreadTimes> threads,
                                    std::span<const TimeOff> absences, std::size_t last);

}  // namespace tacho
