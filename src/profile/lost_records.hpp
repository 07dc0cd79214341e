// What records that the kernel dropped make doubtful. A LOST record tells how many there were, but
// not their type: samples, or what was mapped, named, started or ended (__perf_output_begin).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perfdata/record.hpp"

namespace tacho {

// The most samples that can be among `lost` records, by the rate at which the events are sampled;
// nothing if there is an event that is sampled by a period, whose rate is not known. `samples` of
// them were recorded in `seconds`.
std::optional<std::uint64_t> most_lost_samples(const perfdata::Description& recording,
                                               std::uint64_t lost, std::uint64_t samples,
                                               double seconds);

// The warning of a report.
std::string lost_records_warning(std::uint64_t lost, std::optional<std::uint64_t> most_samples);

}  // namespace tacho
