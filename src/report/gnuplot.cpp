#include "report/gnuplot.hpp"

#include "base/safe_text.hpp"

namespace tacho {
namespace {

constexpr std::size_t kLongest = 4096;  // columns: names of files must not be cut

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(text, kLongest)) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string file_in_quotes(std::string_view path) {
  const bool is_command = path.starts_with('<') || path.starts_with('|');
  return in_quotes((is_command ? "./" : "") + std::string(path));
}

}  // namespace tacho
