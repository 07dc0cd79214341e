#include "report/terminal.hpp"

#include <sys/ioctl.h>

#include <cstdlib>
#include <string_view>

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

}  // namespace tacho
