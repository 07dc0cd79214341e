// Compresses what tacho writes for readers that expect gzip.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Returns the text as a gzip file (RFC 1952) without a name and a time: equal texts give equal
// files. `level`: 1 (quick) to 9 (small). A build without zlib returns the text as it is.
std::string gzipped(std::string_view text, int level = 6);

}  // namespace tacho
