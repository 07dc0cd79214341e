// Parses struct perf_event_attr (perf_event_open(2)), whatever its size and byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// One event of a recording, with the fields that the parser of its samples needs.
struct Attr {
  RecordedEvent event;
  std::uint64_t user_registers = 0;       // registers in each sample, one bit each
  std::uint64_t interrupt_registers = 0;  // likewise
  bool inherit = false;                   // threads that start later have counters of their own
  std::size_t size = 0;                   // bytes, as the structure states it
};

// The structure states its own size; `bytes` may be longer. Returns nullopt if that size is larger
// than `bytes` or too small for a perf_event_attr.
std::optional<Attr> parse_attr(Bytes bytes, bool swapped);

}  // namespace tacho::perfdata
