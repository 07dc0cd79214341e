#include "report/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <string_view>

#include "base/text_layout.hpp"

namespace tacho {

bool shows_colour(int descriptor) {
  const char* none = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (none == nullptr || *none == '\0') && term != nullptr &&
         std::string_view(term) != "dumb";
}

std::size_t terminal_columns(int descriptor) {
  winsize window{};
  return ::ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

TextStyle report_style(const std::string& file, bool full_names) {
  const bool to_terminal = file.empty();
  return {NumberStyle::of_environment(), to_terminal && shows_colour(),
          to_terminal && !full_names ? terminal_columns() : 0};
}

std::string left_out_note(const std::vector<std::string>& columns) {
  if (columns.empty()) return {};
  return paragraph(
      " ", fmt::format("(no room for: {}; --full-names shows all)", fmt::join(columns, ", ")));
}

}  // namespace tacho
