#include "cli/say.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace tacho {

void say_error(const Error& error) {
  std::string text = fmt::format("tacho: error: {}\n", error.what);
  if (!error.remedy.empty()) text += fmt::format("       remedy: {}\n", error.remedy);
  std::fputs(text.c_str(), stderr);
}

void say_line(std::string_view text) {
  std::fputs(fmt::format("{}\n", text).c_str(), stderr);
}

void say_warning(std::string_view text) {
  std::fputs(fmt::format("tacho: warning: {}\n", text).c_str(), stderr);
}

void say_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::fputs(fmt::format("\r\033[K{}", text).c_str(), stderr);
}

}  // namespace tacho
