// struct perf_event_attr of every size and byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// An event of a recording, and what is needed to take its samples apart.
struct Attr {
  RecordedEvent event;
  std::uint64_t user_registers = 0;       // which ones a sample holds, a bit each
  std::uint64_t interrupt_registers = 0;  // the same
  std::size_t size = 0;                   // as the structure tells it
};

// `bytes` may go on behind the structure, whose own size says where it ends. Nothing when that is
// longer than `bytes` or too short to be one.
std::optional<Attr> parse_attr(Bytes bytes, bool swapped);

}  // namespace tacho::perfdata
