// Takes an event list apart: commas separate events, braces make groups, slashes protect commas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// Splits `a,b,{c,d}:u,cpu/event=1,umask=2/` at the commas that separate events. Each element is one
// group of event specs. Modifiers behind a brace are added to each member of the group.
Result<std::vector<std::vector<std::string>>> split_events(std::string_view list);

}  // namespace tacho
