// Opens recordings that may be compressed as a whole, with gzip, xz or zstd. They are expanded into
// a temporary file without a name.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "perfdata/input.hpp"

namespace tacho::perfdata {

// Recordings shrink to a fifth or a twentieth of their size; copies of stacks, to a hundredth. What
// expands more than this was made to fill the disk or to take time.
inline constexpr std::uint64_t kMostExpansion = 300;
// Whether it expanded more than that. The first 64 MiB are always allowed.
bool expands_too_much(std::uint64_t packed, std::uint64_t unpacked);

// The file or stream as it is, or expanded if it begins as a compressed file. Fails if it can't be
// read. A compressed one also fails if it is damaged, if it expands far beyond what recordings do,
// if there is no room for the temporary file, or if tacho was built without the library.
Result<Input> open_expanded(const std::string& path);

}  // namespace tacho::perfdata
