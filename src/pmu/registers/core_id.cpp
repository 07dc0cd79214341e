#include "pmu/registers/core_id.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file.hpp"

namespace tacho::arm {
namespace {

// The Main ID Register has the implementer in bits 31 to 24 and the part in bits 15 to 4.
CoreId from_midr(std::uint64_t midr) {
  return {.implementer = static_cast<std::uint32_t>(midr >> 24U & 0xff),
          .part = static_cast<std::uint32_t>(midr >> 4U & 0xfff)};
}

// The number behind the colon, if the line begins with the key.
std::optional<std::uint32_t> value_of(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(line.c_str() + colon + 1, nullptr, 0));
}

// Cores of ARM from before PMUv2. Bits 31 to 28 of PMXEVTYPER, which filter by mode, do not exist
// in the architecture of their time (ARM DDI 0406B, C10.9.8), and the kernel's driver does not use
// them there (arch/arm/kernel/perf_event_v7.c). The Cortex-A9 has no event 0x08; 0x68 is the
// nearest (ARM DDI 0388I, table 11-5).
struct OwnTraits {
  CoreId core;
  CoreTraits traits;
};
constexpr std::array kOwnTraits = {
    OwnTraits{{0x41, 0xc05}, {.tells_modes = false, .instructions = 0x08}},  // Cortex-A5
    OwnTraits{{0x41, 0xc08}, {.tells_modes = false, .instructions = 0x08}},  // Cortex-A8
    OwnTraits{{0x41, 0xc09}, {.tells_modes = false, .instructions = 0x68}},  // Cortex-A9
};

}  // namespace

CoreTraits traits_of(CoreId id) {
  const auto* own = std::ranges::find(kOwnTraits, id, &OwnTraits::core);
  return own == kOwnTraits.end() ? CoreTraits{} : own->traits;
}

Result<CoreId> core_of(int cpu, const CoreSources& sources) {
  const std::string midr =
      first_line(fmt::format("{}/cpu{}/regs/identification/midr_el1", sources.cpus, cpu));
  if (!midr.empty()) return from_midr(std::strtoull(midr.c_str(), nullptr, 0));
  constexpr std::size_t kLongest = 1 << 24;  // bytes of cpuinfo
  std::istringstream cpuinfo(read_file(sources.cpuinfo, kLongest).value_or(""));
  // Each CPU has a block that begins with its number. With one CPU, the number can come last.
  bool here = true;
  CoreId core;
  for (std::string line; std::getline(cpuinfo, line);) {
    if (const auto number = value_of(line, "processor")) here = std::cmp_equal(*number, cpu);
    if (!here) continue;
    if (const auto implementer = value_of(line, "CPU implementer")) core.implementer = *implementer;
    if (const auto part = value_of(line, "CPU part")) core.part = *part;
  }
  if (core.part != 0) return core;
  return failure(fmt::format("cannot tell which core CPU {} is: neither sysfs nor '{}' gives it",
                             cpu, sources.cpuinfo));
}

Result<CoreEvents> events_of_cpu(int cpu, const std::vector<CoreEvents>& known,
                                 const CoreSources& sources) {
  const auto id = TACHO_TRY(core_of(cpu, sources));
  const auto found = std::ranges::find_if(known, [&](const CoreEvents& core) {
    return core.implementer == id.implementer && core.part == id.part;
  });
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const CoreEvents& core : known) names.push_back(core.name);
  return failure(
      fmt::format("there is no list of events for CPU {} (implementer {:#x}, part {:#x})", cpu,
                  id.implementer, id.part),
      fmt::format(
          "the lists are of {}; docs/how-to/count-with-arm-registers.md explains how to add one",
          fmt::join(names, ", ")));
}

}  // namespace tacho::arm
