#include "latency/chase/memory_allowance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/file.hpp"
#include "base/number.hpp"

namespace tacho::chase {
namespace {

// The two versions of control groups: mount points and files.
struct Version {
  const char* controller;  // its name in /proc/self/cgroup; empty for version 2
  const char* mount;
  const char* limit;
  const char* usage;
  const char* reclaimable;  // key in memory.stat of file pages that the kernel can reclaim
};
constexpr std::array kVersions = {
    Version{"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    Version{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
            "total_inactive_file"},
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end != text.data() ? std::optional(value) : std::nullopt;
}

// The number after a key at the beginning of a line.
std::optional<std::uint64_t> number_of(const std::string& path, std::string_view key) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digit = line.find_first_of("0123456789", key.size());
    return digit == line.npos ? std::nullopt : number(std::string_view(line).substr(digit));
  }
  return std::nullopt;
}

// The process's group, from a line such as `5:memory,cpu:/path`.
std::optional<std::string> group_path(const std::string& text, std::string_view controller) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names == ",," ? controller.empty()
                      : !controller.empty() && names.contains(fmt::format(",{},", controller)))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// Limits the allowance by the group and those above it. In a container only the host may know the
// group's path; the root of the mount is then the group.
void limit_by_groups(const std::string& root, const Version& version, std::string path,
                     Allowance& allowance) {
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    const std::string directory = root + version.mount + path + "/";
    const auto limit = number(first_line(directory + version.limit));  // none for "max"
    const auto usage = number(first_line(directory + version.usage));
    if (limit && usage) {
      const std::uint64_t kept =
          *usage -
          std::min(*usage, number_of(directory + "memory.stat", version.reclaimable).value_or(0));
      const std::uint64_t left = *limit - std::min(*limit, kept);
      if (left < allowance.bytes)
        allowance = {static_cast<std::size_t>(left), directory + version.limit};
    }
    if (path.empty()) return;
    path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

Result<Allowance> memory_allowance(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo";
  auto free = number_of(meminfo, "MemAvailable:");
  if (!free) free = number_of(meminfo, "MemFree:");  // before Linux 3.14
  if (!free)
    return failure(fmt::format("the amount of free memory is unknown: {} does not say", meminfo),
                   "mount /proc");
  constexpr std::uint64_t kMost = SIZE_MAX;
  Allowance allowance{static_cast<std::size_t>(std::min(*free << 10U, kMost)), "free memory"};
  if (const auto groups = read_file(root + "/proc/self/cgroup"))
    for (const Version& version : kVersions)
      if (const auto path = group_path(*groups, version.controller))
        limit_by_groups(root, version, *path, allowance);
  return allowance;
}

Result<void> check_room(const Allowance& allowance, std::size_t wanted) {
  const std::size_t room = allowance.bytes - allowance.bytes / 8;
  if (wanted <= room) return {};
  const auto readable = [](std::size_t value) { return bytes(value, NumberStyle()); };
  return failure(fmt::format("a list of {} is too large: {} are free ({})", readable(wanted),
                             readable(allowance.bytes), allowance.limit),
                 fmt::format("give at most {}", readable(room >> 20U << 20U)));
}

}  // namespace tacho::chase
