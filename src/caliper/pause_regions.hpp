// PauseRegions: what the library does for itself is not part of the regions that run.
#pragma once

#include <cstdint>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// Excludes its lifetime from the regions of the calling thread, by moving their begins.
class PauseRegions {
 public:
  explicit PauseRegions(Thread& thread) noexcept;
  ~PauseRegions();
  PauseRegions(const PauseRegions&) = delete;
  PauseRegions& operator=(const PauseRegions&) = delete;

 private:
  Thread& thread_;
  std::uint64_t ticks_ = 0;
  bool counted_ = false;
  Snapshot counts_;
};

}  // namespace tacho::caliper
