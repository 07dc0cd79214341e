// Sampling periods in the samples of a clock. If the period of a clock is changed
// (PERF_EVENT_IOC_PERIOD), the kernel samples by the new one, but the samples still contain the
// period that the clock was opened with (hw.last_period in kernel/events/core.c of Linux 6.18).
// Events that threads and child processes inherit are opened with the period of that moment, so
// their samples are right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacho {

// Places in a sample, in bytes from the start of the record.
struct SamplePlaces {
  std::size_t id = 0;  // of the event; 0: samples have no id, because there is one event
  std::size_t period = 0;
};

// Samples in a sequence of whole records.
std::uint64_t count_samples(std::span<const std::byte> records);

// Writes the period `now` (ns) into the samples of clocks that contain the period `opened_with`.
// `clocks` are the ids of the clocks. It is not used if samples have no id.
void correct_clock_periods(std::span<std::byte> records, const SamplePlaces& places,
                           const std::vector<std::uint64_t>& clocks, std::uint64_t opened_with,
                           std::uint64_t now);

}  // namespace tacho
