// Text for gnuplot scripts.
#pragma once

#include <string>
#include <string_view>

namespace tacho {

// The text between single quotes, as gnuplot reads it. It is printable(): a line end would end the
// text, and gnuplot would run what follows.
std::string in_quotes(std::string_view text);

// The same for the name of a file. gnuplot runs what follows "<" or "|" at the start of a name.
std::string file_in_quotes(std::string_view path);

}  // namespace tacho
