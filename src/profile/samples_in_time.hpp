// The samples of an event in slices of time, for the timeline of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/function_tree.hpp"
#include "profile/profile.hpp"

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
  std::uint64_t start_ns = 0, slice_ns = 1;
  std::uint32_t slices = 0;  // 0: the samples have no times
  // Call chains with a smaller share of all events are counted at their innermost caller that has
  // it. 0: none are.
  double least_share = 0;
  std::vector<Thread> threads;
  std::vector<SliceCount> counts;  // by slice, thread and node
};

// A page must not grow with the length of a recording. So `most` limits the counts, and the least
// share grows until they fit.
SamplesInTime samples_in_time(const Profile&, const FunctionTree&, std::size_t event,
                              std::size_t most);

}  // namespace tacho
