// Parses features: what a recording states about itself and its machine. A file has them as
// sections after its data, a stream as FEATURE records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/cursor.hpp"
#include "perfdata/record.hpp"

namespace tacho::perfdata {

// Whether a profile needs this feature. Other features need not be read.
bool wants_feature(std::uint64_t feature);

// Returns false if the section is damaged. `description` keeps what was parsed before the damage.
bool parse_feature(std::uint64_t feature, Cursor section, Description& description);

// The name that the user gave an event, with the first of the event's ids.
struct EventName {
  std::string name;
  std::optional<std::uint64_t> id;
};
// Appends the names in the order of the events. Returns false if the section is damaged.
bool parse_event_names(Cursor section, std::vector<EventName>& names);

// Parses a BUILD_ID record with its header, from a section or from a stream.
bool parse_build_id(Cursor record, Description& description);

}  // namespace tacho::perfdata
