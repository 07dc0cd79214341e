// Hardware and software events with numbers that the kernel fixes: no file is needed for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "events/event.hpp"

namespace tacho {

struct GenericName {
  std::string_view name;
  std::string_view alias;  // perf's other spelling, or empty
  std::uint32_t type;      // perf_event_attr.type
  std::uint64_t config;
  std::string_view description;
};

std::span<const GenericName> generic_names();

// The encoding of a generic name or its alias. Case makes no difference. The event's `name` is left
// empty.
std::optional<Event> generic_event(std::string_view name);

// Sets the fields that follow from type and config: the domain of the kernel's own types, the unit
// of the clocks, and whether the event happens in the kernel only.
void describe_software(Event& event);

}  // namespace tacho
