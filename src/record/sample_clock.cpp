#include "record/sample_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "base/file.hpp"

namespace tacho {
namespace {

struct NamedClock {
  std::string_view name;
  std::string_view brief;  // perf's short name
  int id;
};
// The clocks of perf_event_set_clock() in kernel/events/core.c of Linux.
constexpr auto kClocks = std::to_array<NamedClock>({
    {"monotonic", "mono", CLOCK_MONOTONIC},
    {"monotonic_raw", "raw", CLOCK_MONOTONIC_RAW},
    {"realtime", "real", CLOCK_REALTIME},
    {"boottime", "boot", CLOCK_BOOTTIME},
    {"tai", "tai", CLOCK_TAI},
});

// Sources of CLOCK_MONOTONIC that take microseconds to read. The kernel's own clock never uses
// them.
constexpr auto kSlowSources = std::to_array<std::string_view>({"hpet", "acpi_pm", "pit"});

}  // namespace

Result<int> clock_named(std::string_view text) {
  std::string name(text);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kPrefix = "clock_";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  const auto* found = std::ranges::find_if(kClocks, [&](const NamedClock& each) {
    return name == each.name || name == each.brief || name == std::to_string(each.id);
  });
  if (found != kClocks.end()) return found->id;
  return failure(fmt::format("--clockid: '{}' is not a clock that the kernel samples by", text),
                 "give mono, raw, real, boot or tai");
}

std::vector<std::string> clock_names() {
  std::vector<std::string> names;
  for (const NamedClock& each : kClocks) names.emplace_back(each.brief);
  return names;
}

std::optional<int> default_clock(const std::string& root) {
  const std::string source =
      first_line(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (std::ranges::find(kSlowSources, source) != kSlowSources.end()) return std::nullopt;
  return CLOCK_MONOTONIC;
}

}  // namespace tacho
