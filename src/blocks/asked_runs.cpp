#include "blocks/asked_runs.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/parse_number.hpp"

namespace tacho {

Result<RunChoice> asked_runs(const std::string& function, const std::string& address,
                             const std::string& line) {
  RunChoice choice{function, std::nullopt, {}, 0};
  if (!address.empty()) {
    std::string_view digits = address;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    choice.address = parse_number<std::uint64_t>(digits, 16);
    if (!choice.address)
      return failure(fmt::format("--address '{}' is no address", address),
                     "give it in hexadecimal, as 0x401136");
  }
  if (!line.empty()) {
    const std::size_t colon = line.rfind(':');  // npos + 1 is 0
    choice.line = parse_number<unsigned>(line.substr(colon + 1)).value_or(0);
    if (colon == line.npos || choice.line == 0)
      return failure(fmt::format("--line '{}' is no line of a file", line),
                     "give it as FILE:NUMBER, as in loop.cpp:12");
    choice.file = line.substr(0, colon);
  }
  return choice;
}

}  // namespace tacho
