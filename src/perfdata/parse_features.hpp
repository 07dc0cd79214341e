// What a recording tells of itself and its machine: the sections behind a file's data, and the
// FEATURE records of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Whether a profile needs it; others need not be read.
bool wants_feature(std::uint64_t feature);

// False when it is damaged; what was understood before the damage is kept.
bool parse_feature(std::uint64_t feature, Cursor section, Description& description);

// How the user called an event, in the events' order, with the first of its ids.
struct EventName {
  std::string name;
  std::optional<std::uint64_t> id;
};
bool parse_event_names(Cursor section, std::vector<EventName>& names);

// A BUILD_ID record, with its header, of a section or of a stream.
bool parse_build_id(Cursor record, Description& description);

}  // namespace tacho::perfdata
