// What the scripts for gnuplot share.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// As gnuplot reads it between single quotes.
std::string in_quotes(std::string_view text);

}  // namespace tacho
