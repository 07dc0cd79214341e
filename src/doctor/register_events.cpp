#include "doctor/register_events.hpp"

#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>

#include "events/find_data.hpp"
#include "events/spelling.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/registers/core_id.hpp"

namespace tacho {
namespace {

bool matches_any_name(const CoreEvent& event, std::string_view pattern) {
  return matches(event.name, pattern) ||
         std::ranges::any_of(event.also,
                             [pattern](const std::string& name) { return matches(name, pattern); });
}

EventDescription described(const CoreEvents& core, const CoreEvent& event) {
  std::string text = event.means;
  if (!event.also.empty()) text += fmt::format("; also {}", fmt::join(event.also, ", "));
  if (!event.caveat.empty()) text += fmt::format(". Caution: {}", event.caveat);
  return {.name = event.name,
          .source = fmt::format("{} {:#04x}", core.name, event.number),
          .description = std::move(text)};
}

}  // namespace

Result<std::vector<EventDescription>> register_events(std::string_view pattern) {
  const auto cores = known_cores();
  if (!cores) return std::unexpected(cores.error());
  const auto core = arm::events_of_cpu(::sched_getcpu(), *cores);
  if (!core) return std::unexpected(core.error());
  std::vector<EventDescription> events;
  for (const CoreEvent& event : core->events)
    if (matches_any_name(event, pattern)) events.push_back(described(*core, event));
  if (matches(arm::kDividedCycles, pattern))
    events.push_back({.name = std::string(arm::kDividedCycles),
                      .source = core->name,
                      .description = "cycles in steps of 64, by the cycle counter's divider"});
  return events;
}

}  // namespace tacho
