#include "generic_event.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <utility>

namespace made_up {
namespace {

constexpr auto kHardware = std::to_array<std::pair<std::string_view, std::uint64_t>>({
    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
});
constexpr auto kCaches = std::to_array<std::pair<std::string_view, std::uint64_t>>({
    {"L1-dcache-", PERF_COUNT_HW_CACHE_L1D},
    {"L1-icache-", PERF_COUNT_HW_CACHE_L1I},
    {"LLC-", PERF_COUNT_HW_CACHE_LL},
    {"dTLB-", PERF_COUNT_HW_CACHE_DTLB},
    {"iTLB-", PERF_COUNT_HW_CACHE_ITLB},
    {"branch-", PERF_COUNT_HW_CACHE_BPU},
    {"node-", PERF_COUNT_HW_CACHE_NODE},
});
constexpr std::uint64_t kMiss = std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U;
constexpr std::uint64_t kStore = std::uint64_t{PERF_COUNT_HW_CACHE_OP_WRITE} << 8U;
constexpr std::uint64_t kPrefetch = std::uint64_t{PERF_COUNT_HW_CACHE_OP_PREFETCH} << 8U;
constexpr auto kUses = std::to_array<std::pair<std::string_view, std::uint64_t>>({
    {"loads", 0},
    {"load-misses", kMiss},
    {"stores", kStore},
    {"store-misses", kStore | kMiss},
    {"prefetches", kPrefetch},
    {"prefetch-misses", kPrefetch | kMiss},
});

}  // namespace

std::optional<Generic> generic_event(std::string_view name) {
  for (const auto& [known, config] : kHardware)
    if (name == known) return Generic{PERF_TYPE_HARDWARE, config};
  for (const auto& [cache, which] : kCaches)
    for (const auto& [use, how] : kUses)
      if (name.starts_with(cache) && name.substr(cache.size()) == use)
        return Generic{PERF_TYPE_HW_CACHE, which | how};
  return std::nullopt;
}

bool is_clock(const Generic& event) {
  constexpr auto kClocks = std::to_array<std::uint64_t>(
      {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BUS_CYCLES, PERF_COUNT_HW_REF_CPU_CYCLES});
  return event.type == PERF_TYPE_HARDWARE &&
         std::ranges::find(kClocks, event.config) != kClocks.end();
}

}  // namespace made_up
