#include "locate/recorded_command.hpp"

#include <algorithm>

#include "base/shell_line.hpp"

namespace tacho {

std::string recorded_command(std::span<const std::string> words) {
  const auto marked = std::ranges::find(words, "--");
  const auto behind = static_cast<std::size_t>(marked - words.begin()) + 1;
  const auto command = behind < words.size() ? words.subspan(behind) : words;
  return command.empty() ? "a recording" : shell_line(command);
}

}  // namespace tacho
