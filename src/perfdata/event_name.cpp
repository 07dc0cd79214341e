#include "perfdata/event_name.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace tacho::perfdata {
namespace {

using Names = std::span<const std::string_view>;

constexpr auto kHardware = std::to_array<std::string_view>(
    {"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
     "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"});
constexpr auto kSoftware = std::to_array<std::string_view>(
    {"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
     "major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output",
     "cgroup-switches"});
constexpr auto kCaches = std::to_array<std::string_view>(
    {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"});
constexpr auto kAccesses = std::to_array<std::string_view>({"loads", "stores", "prefetches"});
constexpr auto kMisses = std::to_array<std::string_view>({"load", "store", "prefetch"});

std::string_view at(Names names, std::uint64_t index) {
  return index < names.size() ? names[static_cast<std::size_t>(index)] : std::string_view();
}

// perf_event_open(2), PERF_TYPE_HW_CACHE: the cache, the operation and the result (hit or miss) are
// one byte each.
std::string cache_name(std::uint64_t config) {
  const std::uint64_t result = config >> 16;
  const std::string_view cache = at(kCaches, config & 255);
  const std::string_view access = at(result == 0 ? kAccesses : kMisses, config >> 8 & 255);
  if (cache.empty() || access.empty() || result > 1) return {};
  return fmt::format("{}-{}{}", cache, access, result == 1 ? "-misses" : "");
}

std::string name_without_modifiers(const RecordedEvent& event) {
  constexpr std::uint64_t kConfigOfCore = 0xffffffff;  // the upper half selects a core type
  switch (event.type) {                                // PERF_TYPE_*
    case 0:
      return std::string(at(kHardware, event.config & kConfigOfCore));
    case 1:
      return std::string(at(kSoftware, event.config));
    case 3:
      return cache_name(event.config & kConfigOfCore);
    case 4:
      return fmt::format("raw {:#x}", event.config);
    case 5:
      return fmt::format("mem:{:#x}", event.config1);
    default:
      return {};
  }
}

}  // namespace

std::string generic_name(const RecordedEvent& event) {
  std::string name = name_without_modifiers(event);
  if (name.empty()) return name;
  std::string modifiers;
  if (event.exclude_user && !event.exclude_kernel) modifiers += 'k';
  if (event.exclude_kernel && !event.exclude_user) modifiers += 'u';
  modifiers.append(event.precise, 'p');
  return modifiers.empty() ? name : name + ':' + modifiers;
}

}  // namespace tacho::perfdata
