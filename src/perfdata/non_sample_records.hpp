// Parses the kernel's records other than samples: mappings, names, forks, exits, losses.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// A type of record and its parser.
struct NonSampleRecord {
  std::uint32_t type;
  // `body` is the record without its header and without the trailer (time and id) at its end.
  // Returns false if a field ends after the end of `body`.
  bool (*parse)(Cursor body, std::uint16_t misc, Record& record);
};

// Returns nullptr for all other types.
const NonSampleRecord* find_non_sample_record(std::uint32_t type);

// Returns the first `size` bytes as a build ID. Returns an empty one if `size` is more than 20 or
// more than there are bytes.
BuildId to_build_id(Bytes bytes, std::size_t size);

}  // namespace tacho::perfdata
