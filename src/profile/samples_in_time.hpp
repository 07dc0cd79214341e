// The samples of an event in slices of time, for the timeline of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_grid.hpp"
#include "profile/function_tree.hpp"
#include "profile/profile.hpp"
#include "profile/sampled_event.hpp"

namespace tacho {

// The samples of one thread in one slice that have the same call chain.
struct SliceCount {
  std::uint32_t slice = 0;
  std::uint32_t thread = 0;  // index into SamplesInTime::threads
  std::uint32_t node = 0;    // of the tree
  std::uint64_t samples = 0, sum = 0;
};

struct SamplesInTime {
  struct Thread {
    std::int32_t pid = -1, tid = -1;
  };
  TimeGrid grid;  // without slices if the samples have no times, or they are too many
  // Call chains with a smaller share of all events are counted at their innermost caller that has
  // it. 0: none are.
  double least_share = 0;
  std::vector<Thread> threads;
  std::vector<SliceCount> counts;  // by slice, thread and node
};

// Slices from the first sample to the last. Without any, the samples have no times.
TimeGrid grid_of_samples(const Profile&);

// A page must not grow with the length of a recording. So `most` limits the counts, and the least
// share grows until they fit. A wait whose length is known is in each slice in which it lasted; it
// counts as a sample only in the first.
SamplesInTime samples_in_time(const Profile&, const FunctionTree&,
                              const std::vector<SampledEvent>& events, std::size_t event,
                              const TimeGrid& grid, std::size_t most);

}  // namespace tacho
