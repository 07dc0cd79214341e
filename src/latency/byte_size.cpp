#include "latency/byte_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tacho {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

Result<std::size_t> parse_bytes(std::string_view option, std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return failure(fmt::format("{} '{}': {}", option, text, why),
                   "give a size such as 65536, 64K, 256M or 1G");
  };
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error == std::errc::result_out_of_range) return wrong("is more than any memory has");
  if (error != std::errc{} || !std::isfinite(value)) return wrong("is not a size");
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view kUnits = "KMGT";
  if (!unit.empty()) {
    const std::size_t power = kUnits.find(static_cast<char>(unit.front() & ~0x20));
    if (power != kUnits.npos) {
      value = std::ldexp(value, 10 * static_cast<int>(power + 1));
      unit.remove_prefix(1);
    }
    if (!unit.empty() && unit != "B" && unit != "iB") return wrong("is not a size");
  }
  if (value < 0) return wrong("is negative");
  if (value < 1) return wrong("must be at least 1 byte");
  if (value >= static_cast<double>(SIZE_MAX / 4)) return wrong("is more than any memory has");
  return static_cast<std::size_t>(value);
}

Result<std::vector<std::size_t>> parse_byte_list(std::string_view option, std::string_view text) {
  constexpr std::size_t kMost = 1000;
  std::vector<std::size_t> sizes;
  for (const std::string_view part : parts_of(text)) {
    const auto size = parse_bytes(option, part);
    if (!size) return std::unexpected(size.error());
    sizes.push_back(*size);
  }
  if (sizes.size() > kMost) return failure(fmt::format("{} has more than {} sizes", option, kMost));
  std::ranges::sort(sizes);
  const auto twice = std::ranges::unique(sizes);
  sizes.erase(twice.begin(), twice.end());
  return sizes;
}

}  // namespace tacho
