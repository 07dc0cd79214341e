// Text for gnuplot scripts.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// The text between single quotes, as gnuplot reads it.
std::string in_quotes(std::string_view text);

}  // namespace tacho
