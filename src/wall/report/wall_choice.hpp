// Which threads, and which stretches of time, a report of waits is about.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "locate/sample_choice.hpp"
#include "wall/thread_states.hpp"

namespace tacho {

class WallChoice {
 public:
  // The times of the choice are on the recording's clock. It must outlive this object.
  explicit WallChoice(const SampleChoice& choice);

  // Whether not all threads were chosen.
  bool is_of_threads() const;
  // Whether the thread was chosen, by its numbers or its last name.
  bool has(const ThreadTimes& thread) const;
  // How much of this time was chosen, in ns; nothing if no part was.
  std::optional<std::uint64_t> within(std::uint64_t begin_ns, std::uint64_t end_ns) const;
  // The parts of this time that were chosen, in order. Each has a length.
  std::vector<TimeSpan> parts(std::uint64_t begin_ns, std::uint64_t end_ns) const;

 private:
  const SampleChoice& choice_;
  std::vector<TimeSpan> times_;  // in order, and none overlaps the next; none: all times
};

}  // namespace tacho
