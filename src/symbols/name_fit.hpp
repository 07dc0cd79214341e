// How well a name that a user wrote fits a function. Users shorten the names of C++ functions,
// which can have hundreds of characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacho::symbols {

// The better fit has the larger value.
enum class NameFit : std::uint8_t {
  none,
  // Something is left out: scopes, template arguments, parameters, the compiler's suffix
  // (".constprop.0"), or the text in the place of a "…", as in a name that a report cut.
  part,
  whole,  // the whole name, or the name without parameters, as reports print it
};

// `demangled` is the function's name with or without parameters.
NameFit name_fit(std::string_view demangled, std::string_view asked);

// The name without scopes, template arguments and parameters: "swap" for "void std::swap<int>(int&,
// int&)".
std::string own_name(std::string_view demangled);

}  // namespace tacho::symbols
