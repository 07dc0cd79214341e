#include "caliper/pause_regions.hpp"

#include <algorithm>

#include "tacho/ticks.hpp"

namespace tacho::caliper {

PauseRegions::PauseRegions(Thread& thread) noexcept : thread_(thread) {
  counted_ = thread.live != nullptr && thread.depth > 0 && thread.live->read(counts_);
  ticks_ = ordered_ticks();
}

PauseRegions::~PauseRegions() {
  const std::uint64_t ticks = ordered_ticks() - ticks_;
  Snapshot now;
  counted_ = counted_ && thread_.live->read(now);
  for (std::size_t at = 0; at < std::min<std::size_t>(thread_.depth, Thread::kMaxDepth); ++at) {
    Frame& frame = thread_.frames[at];
    frame.ticks += ticks;
    frame.paused += ticks;
    if (counted_ && frame.counted) thread_.starts[at].shift(counts_, now, thread_.live->sets());
  }
}

}  // namespace tacho::caliper
