// What a simulation has counted so far, and its time: the simulated core is one, on which all
// processes and threads take turns, so their counts add up, and so do their cycles.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "simulation/records.hpp"

namespace tacho {

class Tally {
 public:
  using Time = std::chrono::nanoseconds;

  // `records` is the file that the simulator appends to, open for reading.
  Tally(Fd records, std::uint64_t frequency_hz)
      : file_(std::move(records)), frequency_(frequency_hz) {}

  // Simulated, since the beginning; a slice at a time.
  Time now() const { return time_of(cycles_); }
  // When the core has done so many cycles.
  Time time_of(std::uint64_t cycles) const;
  // Who wants to see each slice as it is taken, and the core's cycles before it.
  using Listener = std::function<void(const Slice&, std::uint64_t cycles)>;
  void listen(Listener listener) { listener_ = std::move(listener); }

  // Takes slices until now() has reached `until` (none: for ever), or the file has no more yet.
  // Whether it was reached. After an error, what comes behind can't be believed.
  Result<bool> advance(std::optional<Time> until);

  // Whether the simulator has written anything at all.
  bool begun() const { return !totals_.empty(); }
  // Of all slices taken: 0 before the first, and none for a column that the simulator hasn't got.
  std::optional<std::uint64_t> total(std::string_view column) const;

 private:
  Result<bool> read_more();
  Result<void> take(const Slice& slice);

  Fd file_;
  std::uint64_t frequency_;
  Records records_;
  std::vector<std::uint64_t> totals_;  // a column
  std::uint64_t cycles_ = 0;
  Listener listener_;
};

}  // namespace tacho
