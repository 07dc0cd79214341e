#include "report/gnuplot.hpp"

namespace tacho {

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

}  // namespace tacho
