// What the rows of a report are.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tacho {

// By where the samples fell, or by whose they are.
enum class SortBy : std::uint8_t {
  module,
  function,
  line,
  instruction,
  command,  // from here on in the order of OwnerKind
  process,
  thread,
  cpu
};
// Whether rows say whose samples they are. The profile must have kept owners.
constexpr bool is_by_owner(SortBy sort) {
  return sort >= SortBy::command;
}

constexpr std::string_view to_string(SortBy sort) {
  constexpr std::array<std::string_view, 8> kNames{"module", "function", "line", "instruction",
                                                   "comm",   "pid",      "tid",  "cpu"};
  return kNames[static_cast<std::size_t>(sort)];
}

}  // namespace tacho
