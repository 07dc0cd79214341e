// The cost of measuring an empty region, which the first thread of a process measures before its
// first region.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "caliper/thread.hpp"

namespace tacho::caliper {

// The costs in all quantities that a thread counts.
class OwnCosts {
 public:
  explicit OwnCosts(const Thread& thread) : ticks_(thread.cost), events_(thread.counted) {}
  // Returns false if the cost of an event that the thread counts is not known.
  bool give_to(Thread& thread) const noexcept;

 private:
  OwnCost ticks_;
  std::vector<Counted> events_;
};

// Measures Thread::cost and Counted::cost of the calling thread, with executions of the region,
// whose record is empty afterwards.
void measure_own_costs(Thread& thread, std::uint32_t region, std::string_view name);

}  // namespace tacho::caliper
