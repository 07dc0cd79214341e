// Records as bytes, for what no kernel has written: the processes that were there before the
// recording, and the ends of rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// What stands at the end of each record that is not a sample (perf_event_open(2), sample_id_all).
struct Trailer {
  std::uint64_t sample_type = 0;  // of the events, PERF_SAMPLE_*
  std::uint64_t id = 0;           // where it has PERF_SAMPLE_IDENTIFIER
};

// Of the first of these events.
Trailer trailer_of(std::span<const WrittenEvent> events);

// Of time 0: before everything.
std::vector<std::byte> encode(const Mapping& mapping, const Trailer& trailer);
std::vector<std::byte> encode(const Command& command, const Trailer& trailer);

// All that stands before it was recorded before all that stands behind the next one
// (PERF_RECORD_FINISHED_ROUND).
std::vector<std::byte> encode_round_end();

}  // namespace tacho::perfdata
