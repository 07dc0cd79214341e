// How long the text of a demangled name may be. Back references multiply: a name of 200 bytes can
// stand for gigabytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace tacho::symbols {

struct BoundedName {
  std::optional<std::string> text;  // nullopt if the name is not of this kind, or is too long
  bool too_long = false;            // its text or the work would be beyond the limits
};

// Bytes of text for a mangled name of `size` bytes. Names of real programs grow by up to 25 times.
constexpr std::size_t most_text(std::size_t size) {
  constexpr std::size_t kAlways = 1024, kRatio = 64, kMost = 65536;
  return std::min(kMost, kAlways + kRatio * size);
}

}  // namespace tacho::symbols
