#include "base/caches.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/file.hpp"

namespace tacho {

std::uint64_t leading_number(std::string_view text) {
  constexpr std::uint64_t kMost = 100'000'000'000;  // larger than any cache (bytes) or clock rate
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || value > kMost) return 0;
  if (rest != end && *rest == 'K') return value << 10;
  if (rest != end && *rest == 'M') return value << 20;
  return value;
}

std::vector<SysfsCache> sysfs_caches(const std::string& cpu_directory) {
  constexpr int kMostCaches = 16;  // directories of one CPU
  std::vector<SysfsCache> caches;
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string directory = fmt::format("{}/cache/index{}/", cpu_directory, i);
    const auto number = [&](const char* file) {
      return leading_number(first_line(directory + file));
    };
    SysfsCache cache{.level = number("level"),
                     .type = first_line(directory + "type"),
                     .size = number("size"),
                     .ways = number("ways_of_associativity"),
                     .line = number("coherency_line_size"),
                     .sets = number("number_of_sets"),
                     .cpus = first_line(directory + "shared_cpu_list")};
    if (cache.level != 0) caches.push_back(std::move(cache));
  }
  return caches;
}

}  // namespace tacho
