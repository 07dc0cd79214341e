// A look at TOML text before the parser's.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tacho {

struct UnfitLine {
  std::size_t number = 0;  // from 1
  std::string_view what;
  std::string_view remedy;
};

// The first line, other than one of comment, that the parser must not see:
// - With a character beyond ASCII. toml++ 3.3 has undefined behaviour when it meets some of them
//   outside a string (it takes U+00A0 to U+0499 for impossible when it looks for white space), and
//   in malformed text a string is whatever it takes for one. In a string, \uXXXX says the same.
// - With more than 256 dots. Each dot of a key or of a header is a table within a table, and toml++
//   destroys them by recursion, which takes the stack that there is. A header, its key and the
//   values that stand within each other (16 at most, see toml_file.hpp) may each have such a line.
std::optional<UnfitLine> unfit_line(std::string_view toml);

}  // namespace tacho
