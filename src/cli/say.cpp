#include "cli/say.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/safe_text.hpp"

namespace tacho {
namespace {

// Messages quote names of files and commands, which come from anywhere. A message is one line: a
// name with a line end in it can't begin a line that looks like a message of tacho.
std::string one_line(std::string_view text) {
  constexpr std::size_t kLongestLine = 16'384;
  return printable(text, kLongestLine);
}

}  // namespace

void say_error(const Error& error) {
  std::string text = fmt::format("tacho: error: {}\n", one_line(error.what));
  if (!error.remedy.empty()) text += fmt::format("       remedy: {}\n", one_line(error.remedy));
  std::fputs(text.c_str(), stderr);
}

void say_line(std::string_view text) {
  std::fputs(fmt::format("{}\n", one_line(text)).c_str(), stderr);
}

void say_warning(std::string_view text) {
  std::fputs(fmt::format("tacho: warning: {}\n", one_line(text)).c_str(), stderr);
}

void say_warnings(std::span<const std::string> texts) {
  for (const std::string& text : texts) say_warning(text);
}

Notices notices() {
  return {say_line, say_warning, say_error};
}

void say_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::fputs(fmt::format("\r\033[K{}", one_line(text)).c_str(), stderr);
}

void say_simulated(std::chrono::nanoseconds simulated, std::chrono::seconds real) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const double milliseconds = static_cast<double>(simulated.count()) / 1e6;
  say_line(fmt::format("tacho: {:.4g} ms simulated in {} s", milliseconds, real.count()));
}

}  // namespace tacho
