// What threads did in each slice of time, for pictures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/time_grid.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

// Times in ns, by ThreadState.
using StateTimes = std::array<std::uint64_t, 4>;

struct StatesInTime {
  struct Row {
    std::optional<std::pair<std::int32_t, std::int32_t>> thread;  // pid, tid; none: all others
    StateTimes times{};
    std::vector<StateTimes> slices;  // as many as the grid has
  };
  std::vector<Row> rows;   // those that ran longest first; that of all others last
  std::size_t others = 0;  // threads
};

// At most `most` threads have a row of their own.
StatesInTime states_in_time(std::span<const ThreadTimes> threads, std::span<const TimeOff> absences,
                            const TimeGrid& grid, std::size_t most);

}  // namespace tacho
