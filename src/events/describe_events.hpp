// Describes every event that this machine has a name for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/catalogue.hpp"

namespace tacho {

struct EventDescription {
  std::string name;
  std::string source;  // "hardware", "cache", "software", "sysfs cpu", "tracepoint", "libpfm4 skl"
  std::string description;  // one line
};

// The events whose name contains `pattern`, or matches it if it has * or ?. Case makes no
// difference.
std::vector<EventDescription> describe_events(const Catalogue& catalogue, std::string_view pattern);

}  // namespace tacho
