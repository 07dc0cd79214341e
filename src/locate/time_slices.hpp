// Stretches of a recording's time, as a user writes them for --time. perf's forms are understood.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time_span.hpp"

namespace tacho {

// What a time is counted from.
enum class TimeOrigin : std::uint8_t {
  clock,         // 0 of the recording's clock, as perf script prints times
  first_sample,  // the time of the first sample
  share,         // the same, and the unit is the time up to the last sample
};

// Both ends belong to the slice.
struct TimeSlice {
  TimeOrigin origin = TimeOrigin::clock;
  std::uint64_t from_ns = 0, to_ns = std::numeric_limits<std::uint64_t>::max();
  double from_share = 0, to_share = 1;  // of TimeOrigin::share, from 0 to 1
};

// "1234.5,1240" in seconds of the recording's clock; "+1,+2.5" in seconds after the first sample;
// one side may be empty. "10%-20%", and "10%/2" for the second slice of 10 %. Several are separated
// by spaces; percentages also by commas.
Result<std::vector<TimeSlice>> parse_time_slices(std::string_view text);

// The times of the first and the last sample of a recording.
struct SampleTimeRange {
  std::uint64_t first_ns = 0, last_ns = 0;
};
// The slices in ns of the recording's clock. Slices by share end before the next one begins, unless
// they end at 100 %.
std::vector<TimeSlice> on_clock(std::vector<TimeSlice> slices, const SampleTimeRange& range);

// The same times of the recording's clock, in order. None overlaps the next.
std::vector<TimeSpan> disjoint(std::span<const TimeSlice> slices);

}  // namespace tacho
