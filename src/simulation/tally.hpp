// Adds up the counts of a simulation and its time. There is one simulated core, on which all
// processes and threads take turns, so their counts and their cycles are added.
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

  // The simulated time since the beginning. It grows by a slice at a time.
  Time now() const { return time_of(cycles_); }
  // The simulated time at which the core has done this number of cycles.
  Time time_of(std::uint64_t cycles) const;
  // Is called with each slice, and with the core's cycles before it.
  using Listener = std::function<void(const Slice&, std::uint64_t cycles)>;
  void listen(Listener listener) { listener_ = std::move(listener); }

  // Reads slices until now() has reached `until` (nothing: no end), or the file has no more.
  // Returns whether `until` was reached. After an error, the rest of the file is unreliable.
  Result<bool> advance(std::optional<Time> until);

  // Whether the simulator has written a slice.
  bool begun() const { return !totals_.empty(); }
  // The sum over all slices read: 0 before the first slice; nothing if there is no such column.
  std::optional<std::uint64_t> total(std::string_view column) const;

 private:
  Result<bool> read_more();
  Result<void> take(const Slice& slice);

  Fd file_;
  std::uint64_t frequency_;
  Records records_;
  std::vector<std::uint64_t> totals_;  // one for each column
  std::uint64_t cycles_ = 0;
  Listener listener_;
};

}  // namespace tacho
