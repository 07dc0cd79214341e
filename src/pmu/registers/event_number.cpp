#include "pmu/registers/event_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "events/abi.hpp"

namespace tacho::arm {
namespace {

constexpr std::uint16_t kCycles = 0x11;
constexpr std::uint64_t kInstructions = 1;  // perf's number of the generic event

// perf's generic events, but for instructions, and their numbers among the architectural and common
// events (ARM DDI 0406C,
// C12.8.2), as in the kernel's drivers (arch/arm/kernel/perf_event_v7.c,
// arch/arm64/kernel/perf_event.c).
struct Row {
  std::uint64_t generic;
  std::uint16_t number;
};
constexpr std::array kGeneric = {Row{0, kCycles},             // cycles
                                 Row{2, 0x04}, Row{3, 0x03},  // caches
                                 Row{5, 0x10}};               // branch-misses

// The config of a raw code, or of an event of the core's own PMU, is the number itself.
std::optional<std::uint16_t> number_of(const Event& event, const CoreTraits& core) {
  if (event.domain != Domain::core || event.config1 != 0 || event.config2 != 0) return std::nullopt;
  if (event.type == abi::kHardware) {
    if (event.config == kInstructions) return core.instructions;
    const auto* row = std::ranges::find(kGeneric, event.config, &Row::generic);
    return row == kGeneric.end() ? std::nullopt : std::optional(row->number);
  }
  const bool is_number = event.type == abi::kRaw || event.type > abi::kBreakpoint;
  if (!is_number || event.config > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(event.config);
}

}  // namespace

Result<Wanted> wanted_of(const Event& event, const CoreTraits& core) {
  const auto number = number_of(event, core);
  if (!number)
    return failure(fmt::format("event '{}' has no number for the registers", event.name), "",
                   EINVAL);
  if (event.precise > 0 || event.exclude_host || event.exclude_guest || event.exclude_idle ||
      event.pinned || event.exclusive)
    return failure(
        fmt::format("event '{}': the registers support only the modifiers u and k", event.name), "",
        EINVAL);
  if (!core.tells_modes && (event.exclude_user || event.exclude_kernel))
    return failure(fmt::format("event '{}': the core's counters can't tell user mode from the "
                               "kernel's",
                               event.name),
                   "leave the modifier out: both are counted", EINVAL);
  return Wanted{.setting = {.event = *number,
                            .user = !event.exclude_user,
                            .kernel = !event.exclude_kernel,
                            .divided = false},
                .cycles = *number == kCycles};
}

}  // namespace tacho::arm
