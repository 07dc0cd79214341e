#include "report/profile_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kPlain = "\033[0m";

std::string_view colour_of(double share) {
  return share >= 0.2 ? kRed : share >= 0.05 ? kYellow : std::string_view();
}

}  // namespace

std::string percent(double share, const NumberStyle& style) {
  return fixed(100 * share, 1, style) + " %";
}

std::string range(const ShareInterval& interval, const NumberStyle& style) {
  return fmt::format("{}…{} %", fixed(100 * interval.low, 1, style),
                     fixed(100 * interval.high, 1, style));
}

std::string coloured(std::string_view text, const std::function<double(std::size_t)>& heat,
                     const TextStyle& style) {
  if (!style.colour) return std::string(text);
  std::string result;
  for (std::size_t line = 0; !text.empty(); ++line) {
    const std::string_view each = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(each.size() + 1, text.size()));
    const std::string_view colour = colour_of(heat(line));
    result += colour.empty() ? std::string(each) : fmt::format("{}{}{}", colour, each, kPlain);
    result += '\n';
  }
  return result;
}

}  // namespace tacho
