// Finds text in TOML files that the parser can't process safely.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tacho {

struct UnsafeLine {
  std::size_t number = 0;  // from 1
  std::string_view what;
  std::string_view remedy;
};

// The first line that the parser must not read. Comment lines are never returned. A line is unsafe
// - if it has a character beyond ASCII. Outside a string, some of them (U+00A0 to U+0499) lead to
//   undefined behaviour in toml++ 3.3; in malformed text, any place can be outside a string. Inside
//   a string, \uXXXX has the same meaning.
// - if it has more than 256 dots. Each dot of a key or header is a table inside a table, which
//   toml++ destroys by recursion on the stack. A header, its key and each of the nested values (at
//   most 16, see toml_file.hpp) can have a line with as many dots.
std::optional<UnsafeLine> unsafe_toml_line(std::string_view toml);

}  // namespace tacho
