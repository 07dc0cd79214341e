// Takes the kernel's records that are not samples apart: mappings, names, forks, ends, losses.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// What a record of one of these types says. `body` is without its header, and without the time and
// id at its end.
struct NonSampleRecord {
  std::uint32_t type;
  // False when a field runs past the end.
  bool (*parse)(Cursor body, std::uint16_t misc, Record& record);
};

// nullptr for all other types.
const NonSampleRecord* find_non_sample_record(std::uint32_t type);

// Of `size` bytes, of at most 20; empty when it is longer.
BuildId to_build_id(Bytes bytes, std::size_t size);

}  // namespace tacho::perfdata
