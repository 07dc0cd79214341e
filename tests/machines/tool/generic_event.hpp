// The generic events by perf's names. This table is the tool's own: tests hold tacho's against it.
#pragma once

#include <optional>
#include <string_view>

#include "machine.hpp"

namespace made_up {

std::optional<Generic> generic_event(std::string_view name);

}  // namespace made_up
