#include "page/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace tacho {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t at = 0; at < 3; ++at)
      bits = bits << 8 | (at < group.size() ? static_cast<unsigned char>(group[at]) : 0);
    for (std::size_t at = 0; at < 4; ++at)
      text += at <= group.size() ? kDigits[bits >> (18 - 6 * at) & 63] : '=';
  }
  return text;
}

}  // namespace tacho
