// Sizes in bytes as options take them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// The parts of a list that is separated by commas.
std::vector<std::string_view> parts_of(std::string_view text);

// "64K", "1.5M", "2G" or "65536", optionally followed by B or iB; at least 1. `option` is the
// option that has this value, for the error.
Result<std::size_t> parse_bytes(std::string_view option, std::string_view text);

// A list of such sizes, sorted, each once.
Result<std::vector<std::size_t>> parse_byte_list(std::string_view option, std::string_view text);

}  // namespace tacho
