#include "events/core_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/cpus.hpp"
#include "events/abi.hpp"
#include "events/modifiers.hpp"

namespace tacho {
namespace {

// The kernel's own names of the generic events on ARM cores (drivers/perf/arm_pmuv3.c,
// arm_v7_pmu.c: the maps of generic events) and on Apple's (apple_m1_cpu_pmu.c). In the kernel's
// order of preference.
struct OwnName {
  std::uint32_t type;
  std::uint64_t config;
  std::array<std::string_view, 2> names;
};

constexpr std::uint64_t cache(std::uint64_t which, std::uint64_t result) {
  return which | result << abi::kCacheResultShift;
}

constexpr auto kOwnNames = std::to_array<OwnName>({
    {abi::kHardware, 0, {"cpu_cycles", "cycles"}},
    {abi::kHardware, 1, {"inst_retired", "instructions"}},
    {abi::kHardware, 2, {"l1d_cache", ""}},
    {abi::kHardware, 3, {"l1d_cache_refill", ""}},
    {abi::kHardware, 4, {"pc_write_retired", "br_retired"}},
    {abi::kHardware, 5, {"br_mis_pred", ""}},
    {abi::kHardware, 6, {"bus_cycles", ""}},
    {abi::kHardware, 7, {"stall_frontend", ""}},
    {abi::kHardware, 8, {"stall_backend", ""}},
    {abi::kCache, cache(0, 0), {"l1d_cache", ""}},
    {abi::kCache, cache(0, 1), {"l1d_cache_refill", ""}},
    {abi::kCache, cache(1, 0), {"l1i_cache", ""}},
    {abi::kCache, cache(1, 1), {"l1i_cache_refill", ""}},
    {abi::kCache, cache(2, 0), {"ll_cache_rd", ""}},
    {abi::kCache, cache(2, 1), {"ll_cache_miss_rd", ""}},
    {abi::kCache, cache(3, 0), {"l1d_tlb", ""}},
    {abi::kCache, cache(3, 1), {"l1d_tlb_refill", ""}},
    {abi::kCache, cache(4, 0), {"l1i_tlb", ""}},
    {abi::kCache, cache(4, 1), {"l1i_tlb_refill", ""}},
    {abi::kCache, cache(5, 0), {"br_pred", ""}},
    {abi::kCache, cache(5, 1), {"br_mis_pred", ""}},
});

constexpr std::uint64_t kWithoutPmu = (std::uint64_t{1} << abi::kPmuTypeShift) - 1;

bool is_generic(const Event& event) {
  return event.type == abi::kHardware || event.type == abi::kCache;
}

// Whether the event was written as `r01c2`. libpfm4's events have the same type, but they belong to
// the one PMU that their name says.
bool is_raw(const Event& event) {
  const std::string_view name = split_modifiers(event.name).first;
  return event.type == abi::kRaw && name.size() > 1 && name[0] == 'r' &&
         name.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

// `cycles/period=1000/` becomes `cycles,period=1000`.
std::string between_slashes(std::string_view name) {
  const std::size_t first = name.find('/');
  if (first == std::string_view::npos || !name.ends_with('/')) return std::string(name);
  const std::string_view terms = name.substr(first + 1, name.size() - first - 2);
  return fmt::format("{}{}{}", name.substr(0, first), terms.empty() ? "" : ",", terms);
}

// Type and config words of the PMU's own event; nothing if it has no such name.
std::optional<Event> own_event(const Event& generic, const CorePmu& core, const SysfsPmus& pmus) {
  const auto* const row = std::ranges::find_if(kOwnNames, [&](const OwnName& each) {
    return each.type == generic.type && each.config == (generic.config & kWithoutPmu);
  });
  if (row == kOwnNames.end()) return std::nullopt;
  for (const std::string_view name : row->names)
    if (!name.empty())
      if (auto event = pmus.event(core.name, name, name); event && event->type == core.type)
        return std::move(*event);
  return std::nullopt;
}

// The event that names its core PMU by type, as libpfm4's do.
bool belongs_to(const Event& event, const CorePmu& core) {
  return event.type == core.type ||
         (is_generic(event) && event.config >> abi::kPmuTypeShift == core.type);
}

}  // namespace

bool has_online_cpu(const CorePmu& core, std::string_view online) {
  const std::vector<int> up = parse_cpu_list(online);
  return std::ranges::any_of(parse_cpu_list(core.cpus),
                             [&](int cpu) { return std::ranges::find(up, cpu) != up.end(); });
}

bool are_unequal(std::span<const CorePmu> cores, std::string_view online) {
  if (cores.size() != 1) return cores.size() > 1;
  const std::vector<int> served = parse_cpu_list(cores.front().cpus);
  if (served.empty()) return false;
  return !std::ranges::all_of(parse_cpu_list(online), [&](int cpu) {
    return std::ranges::find(served, cpu) != served.end();
  });
}

Event on_core(const Event& event, const CorePmu& core, GenericBy by, const SysfsPmus& pmus) {
  const auto [name, letters] = split_modifiers(event.name);
  Event part = event;
  part.name = fmt::format("{}/{}/{}", core.name, between_slashes(name), letters);
  part.core_pmu = core.name;
  part.cpus = core.cpus;
  if (!is_generic(event)) {
    part.type = core.type;
    return part;
  }
  const auto own = by == GenericBy::own_name ? own_event(event, core, pmus) : std::nullopt;
  if (own) {
    part.type = own->type;
    part.config = own->config;
    part.config1 |= own->config1;
  } else {
    part.config = (event.config & kWithoutPmu) | std::uint64_t{core.type} << abi::kPmuTypeShift;
  }
  return part;
}

std::vector<Event> parts_of(const Event& event, std::span<const CorePmu> cores, GenericBy by,
                            const SysfsPmus& pmus) {
  if (event.domain != Domain::core || !event.core_pmu.empty() || cores.empty()) return {event};
  Event alone = event;
  const bool raw = is_raw(event);
  for (const CorePmu& core : cores)
    if (cores.size() == 1 || (!raw && belongs_to(event, core))) {
      alone.core_pmu = core.name;
      alone.cpus = core.cpus;
      return {alone};
    }
  if (!raw && !is_generic(event)) return {event};
  std::vector<Event> parts;
  for (const CorePmu& core : cores) {
    parts.push_back(on_core(event, core, by, pmus));
    parts.back().part_of = event.name;
  }
  return parts;
}

std::vector<EventGroup> by_core_pmu(const EventGroup& group) {
  std::vector<EventGroup> divided;
  for (const Event& event : group) {
    auto own = std::ranges::find(divided, event.core_pmu, [](const EventGroup& each) {
      return std::string_view(each.front().core_pmu);
    });
    if (own == divided.end()) own = divided.insert(own, EventGroup());
    own->push_back(event);
  }
  return divided;
}

}  // namespace tacho
