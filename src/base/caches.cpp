#include "base/caches.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/file.hpp"

namespace tacho {

std::uint64_t leading_number(std::string_view text) {
  constexpr std::uint64_t kMost = 100'000'000'000;
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [behind, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || value > kMost) return 0;
  if (behind != end && *behind == 'K') return value << 10;
  if (behind != end && *behind == 'M') return value << 20;
  return value;
}

std::vector<SysfsCache> sysfs_caches(const std::string& cpu_directory) {
  constexpr int kMostCaches = 16;
  std::vector<SysfsCache> caches;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string directory = fmt::format("{}/cache/index{}/", cpu_directory, i);
    const auto number = [&](const char* file) {
      return leading_number(first_line(directory + file));
    };
    SysfsCache told{.level = number("level"),
                    .type = first_line(directory + "type"),
                    .size = number("size"),
                    .ways = number("ways_of_associativity"),
                    .line = number("coherency_line_size")};
    if (told.level != 0) caches.push_back(std::move(told));
  }
  return caches;
}

}  // namespace tacho
