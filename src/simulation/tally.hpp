// Adds up the counts of a simulation and its time. There is one simulated core, on which all
// processes and threads take turns, so their counts and their cycles are added.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
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

  // Adds slices until now() has reached `until` (nothing: no end), or the file has no more. Returns
  // whether `until` was reached. After an error, the rest of the file is unreliable.
  Result<bool> advance(std::optional<Time> until);
  // Reads slices until known() has reached `until`, or the file has no more, and keeps them for
  // advance(). Returns whether `until` was reached.
  Result<bool> look_ahead(Time until);
  // The simulated time of all slices read.
  Time known() const { return time_of(known_cycles_); }

  // Whether the simulator has written a slice.
  bool begun() const { return !totals_.empty(); }
  // Whether the process that the run began with has ended, and its last counts are read.
  bool complete() const { return records_.complete(); }
  // The sum over all slices read: 0 before the first slice; nothing if there is no such column.
  std::optional<std::uint64_t> total(std::string_view column) const;

 private:
  Result<bool> read_slice();
  Result<bool> read_more();
  std::size_t cycles_column() const;
  Result<std::uint64_t> cycles_of(const Slice& slice) const;
  void add(const Slice& slice);

  Fd file_;
  std::uint64_t frequency_;
  Records records_;
  std::vector<std::uint64_t> totals_;  // one for each column
  std::uint64_t cycles_ = 0;
  std::deque<Slice> ahead_;         // read, but not added yet
  std::uint64_t known_cycles_ = 0;  // of all slices read
  Listener listener_;
};

}  // namespace tacho
