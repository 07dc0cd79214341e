// How long the text of a demangled name may be. Back references multiply: a name of 200 bytes can
// stand for gigabytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

// Whether the demanglers of GCC and binutils would parse parts of the name again and again. In the
// type of a conversion operator (cv), they try each template parameter with arguments (T_I) in two
// ways, so that the time doubles with each. Real names have one or two.
constexpr bool is_parsed_too_often(std::string_view mangled) {
  constexpr int kMost = 10;
  const std::size_t conversion = mangled.find("cv");
  if (conversion == mangled.npos) return false;
  int tries = 0;
  for (std::size_t at = conversion; (at = mangled.find("_I", at)) != mangled.npos; ++at) {
    const std::size_t begin = mangled.find_last_not_of("0123456789L_", at);  // of T12_ or TL0__
    if (mangled[begin] == 'T') ++tries;
  }
  return tries > kMost;
}

}  // namespace tacho::symbols
