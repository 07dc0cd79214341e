#include "cli/say.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <ranges>
#include <string>

#include "base/text_layout.hpp"

namespace tacho {
namespace {

// Names of files and commands come from anywhere: line by line, nothing that a terminal obeys.
std::string harmless(std::string_view text) {
  constexpr std::size_t kLongestLine = 16'384;
  std::string result;
  for (const auto line : text | std::views::split('\n'))
    result += (result.empty() ? "" : "\n") + printable(std::string_view(line), kLongestLine);
  return result;
}

}  // namespace

void say_error(const Error& error) {
  std::string text = fmt::format("tacho: error: {}\n", harmless(error.what));
  if (!error.remedy.empty()) text += fmt::format("       remedy: {}\n", harmless(error.remedy));
  std::fputs(text.c_str(), stderr);
}

void say_line(std::string_view text) {
  std::fputs(fmt::format("{}\n", text).c_str(), stderr);
}

void say_warning(std::string_view text) {
  std::fputs(fmt::format("tacho: warning: {}\n", harmless(text)).c_str(), stderr);
}

void say_warnings(std::span<const std::string> texts) {
  for (const std::string& text : texts) say_warning(text);
}

void say_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::fputs(fmt::format("\r\033[K{}", text).c_str(), stderr);
}

}  // namespace tacho
