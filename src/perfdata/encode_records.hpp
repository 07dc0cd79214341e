// Encodes the records that tacho itself adds to a recording: processes that ran before the
// recording began, where their threads waited then, and the ends of rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/inventory.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Values for the fields at the end of each record that is not a sample (perf_event_open(2),
// sample_id_all).
struct Trailer {
  std::uint64_t sample_type = 0;  // PERF_SAMPLE_*: which fields there are
  std::uint64_t id = 0;           // written if sample_type has PERF_SAMPLE_IDENTIFIER
  std::uint64_t time_ns = 0;      // 0: readers put the record before all others
};

// The trailer of records that belong to the first event.
Trailer trailer_of(std::span<const WrittenEvent> events);

std::vector<std::byte> encode(const Mapping& mapping, const Trailer& trailer);
std::vector<std::byte> encode(const Command& command, const Trailer& trailer);

// Encodes a sample in the layout of the event, which needs an id. Registers that the sample does
// not have are 0, and a stack is cut at what a record has room for. Returns nothing if samples of
// the event have fields that `Sample` does not.
std::vector<std::byte> encode(const Sample& sample, const WrittenEvent& event);

// Encodes PERF_RECORD_FINISHED_ROUND. All records before it are older than all records after the
// next one.
std::vector<std::byte> encode_round_end();

}  // namespace tacho::perfdata
