// Base64 (RFC 4648), for bytes in a page.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// With padding, without line ends.
std::string base64(std::string_view bytes);

}  // namespace tacho
