#include "cli/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tacho {

CLI::Validator decimal() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.find_first_of("xX") != text.npos)
          return fmt::format("Value {} is not a decimal number", text);
        const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
        const std::size_t first = std::min(text.find_first_not_of('0', sign), text.size());
        // A zero stays before what is no digit, as in 0.5, and of zeros alone.
        const bool digit = first < text.size() && text[first] >= '0' && text[first] <= '9';
        if (first > sign) text.erase(sign, first - sign - (digit ? 0 : 1));
        return std::string();
      },
      "");
}

}  // namespace tacho
