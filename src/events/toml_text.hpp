// A look at TOML text before the parser's.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tacho {

// The line (from 1) of the first character beyond ASCII that is not on a line of comment.
// toml++ 3.3 has undefined behaviour when it meets some of them outside a string (it takes U+00A0
// to U+0499 for impossible when it looks for white space), and in malformed text a string is
// whatever it takes for one. So it must not see them; in a string, \uXXXX says the same.
std::optional<std::size_t> stray_character(std::string_view toml);

}  // namespace tacho
