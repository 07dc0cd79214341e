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
// Bytes that were compressed, and those that they expanded to. All files of a directory have one
// together.
struct Expansion {
  std::uint64_t packed = 0, unpacked = 0;
  // Whether it is more than that. The first 64 MiB are always allowed.
  bool is_too_much() const;
};

// The file or stream as it is, or expanded if it begins as a compressed file. Fails if it can't be
// read. A compressed one also fails if it is damaged, if it expands far beyond what recordings do,
// if there is no room for the temporary file, or if tacho was built without the library.
// Adds to `expansion` what it expands.
Result<Input> open_expanded(const std::string& path, Expansion& expansion);

}  // namespace tacho::perfdata
