// The wall time of functions: running, estimated from samples, and off the CPU.
#pragma once

#include <vector>

#include "locate/resolver.hpp"
#include "wall/report/sampled_lengths.hpp"
#include "wall/report/wall_history.hpp"
#include "wall/report/wall_summary.hpp"

namespace tacho {

// Sums of a state of chosen threads at chosen times.
struct StateSum {
  std::uint64_t all_ns = 0;  // known, because all switches are
  std::uint64_t all_times = 0;
  AbsenceSum sampled;         // the times that have a sample, and those that stand for themselves
  std::uint64_t lost_ns = 0;  // of unsampled ones, for which none that has a sample stands
  // Of the switches of which only some were sampled.
  KnownSum unsampled() const;
  // How much of their time a nanosecond stands for that the sampled ones stand for.
  double scale() const;
};

// In no order. `reason` is a number in places.reasons().
std::vector<WallFunction> wall_functions(const WallHistory&, Resolver&, std::uint64_t running_ns,
                                         const StateSum& ready, const StateSum& waiting);

}  // namespace tacho
