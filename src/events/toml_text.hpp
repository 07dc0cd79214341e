// A look at TOML text before the parser's.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tacho {

// The line (from 1) of the first character beyond ASCII that stands outside strings and comments,
// where TOML 1.0 allows none. toml++ 3.3 has undefined behaviour for some of them (it takes U+00A0
// to U+0499 for impossible when it looks for white space), so it must not see such text.
std::optional<std::size_t> stray_character(std::string_view toml);

}  // namespace tacho
