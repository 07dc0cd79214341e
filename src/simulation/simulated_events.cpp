#include "simulation/simulated_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "events/modifiers.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

enum class Needs { nothing, second_level, main_tlb, time };

struct Row {
  std::string_view name;
  std::string_view alias;
  std::array<std::string_view, 4> columns;  // names of records' columns or of kLast, then empty
  Needs needs;
  std::string_view description;
};

// The columns of the accesses to the last level of cache, or of its misses. They depend on the
// number of levels.
struct LastLevel {
  std::string_view name;
  std::array<std::string_view, 3> columns;  // with one level, with two, with three
};

constexpr auto kLast = std::to_array<LastLevel>({
    {"last-fetches", {"", "l1i-misses", "l2-fetch-misses"}},
    {"last-loads", {"loads", "l1d-load-misses", "l2-load-misses"}},
    {"last-stores", {"stores", "l1d-store-misses", "l2-store-misses"}},
    {"last-fetch-misses", {"", "l2-fetch-misses", "l3-fetch-misses"}},
    {"last-load-misses", {"l1d-load-misses", "l2-load-misses", "l3-load-misses"}},
    {"last-store-misses", {"l1d-store-misses", "l2-store-misses", "l3-store-misses"}},
});

using enum Needs;

constexpr auto kRows = std::to_array<Row>({
    {"cycles", "cpu-cycles", {"cycles"}, nothing, "cycles of the core, estimated by the model"},
    {"instructions", "", {"instructions"}, nothing, "instructions executed"},
    {"task-clock", "", {"cycles"}, time, "the core's time: the model's cycles at its frequency"},
    {"branches",
     "branch-instructions",
     {"branches"},
     nothing,
     "jumps, conditional or not, calls and returns"},
    {"branch-misses", "", {"branch-misses"}, nothing, "branches that the model mispredicted"},
    {"loads", "mem-loads", {"loads"}, nothing, "reads of memory by instructions"},
    {"stores", "mem-stores", {"stores"}, nothing, "writes of memory by instructions"},

    {"stalled-cycles-frontend",
     "idle-cycles-frontend",
     {"stall-fetch", "stall-itlb"},
     nothing,
     "cycles waited for instructions: caches and translation, not mispredictions"},
    {"stalled-cycles-backend",
     "idle-cycles-backend",
     {"stall-load", "stall-store", "stall-dtlb", "stall-dependency"},
     nothing,
     "cycles waited for data, translations of its addresses, and operands"},
    {"stall-fetch", "", {"stall-fetch"}, nothing, "cycles waited for instructions from caches"},
    {"stall-itlb", "", {"stall-itlb"}, nothing, "cycles waited for instructions' translations"},
    {"stall-load", "", {"stall-load"}, nothing, "cycles waited for loads that missed"},
    {"stall-store", "", {"stall-store"}, nothing, "cycles waited for stores that missed"},
    {"stall-dtlb", "", {"stall-dtlb"}, nothing, "cycles waited for data's translations"},
    {"stall-branch", "", {"stall-branch"}, nothing, "cycles lost to mispredictions"},
    {"stall-dependency", "", {"stall-dependency"}, nothing, "cycles waited for operands"},

    {"L1-dcache-loads", "", {"loads"}, nothing, "loads: each asks the data cache"},
    {"L1-dcache-load-misses", "", {"l1d-load-misses"}, nothing, "loads that missed the data cache"},
    {"L1-dcache-stores", "", {"stores"}, nothing, "stores: each asks the data cache"},
    {"L1-dcache-store-misses",
     "",
     {"l1d-store-misses"},
     nothing,
     "stores that missed the data cache"},
    {"L1-icache-loads", "", {"instructions"}, nothing, "instructions fetched"},
    {"L1-icache-load-misses",
     "",
     {"l1i-misses"},
     nothing,
     "instructions that missed the instruction cache"},
    {"l1d_cache", "", {"loads", "stores"}, nothing, "accesses to the data cache"},
    {"l1d_cache_refill",
     "",
     {"l1d-load-misses", "l1d-store-misses"},
     nothing,
     "accesses that missed the data cache"},

    {"l2-loads", "", {"l1d-load-misses"}, second_level, "loads that came to the second level"},
    {"l2-load-misses", "", {"l2-load-misses"}, second_level, "loads that missed the second level"},
    {"l2-stores", "", {"l1d-store-misses"}, second_level, "stores that came to the second level"},
    {"l2-store-misses",
     "",
     {"l2-store-misses"},
     second_level,
     "stores that missed the second level"},
    {"l2-fetches", "", {"l1i-misses"}, second_level, "instructions that came to the second level"},
    {"l2-fetch-misses",
     "",
     {"l2-fetch-misses"},
     second_level,
     "instructions that missed the second level"},
    {"LLC-loads", "", {"last-loads"}, second_level, "loads that came to the last level of cache"},
    {"LLC-load-misses",
     "",
     {"last-load-misses"},
     second_level,
     "loads that missed the last level of cache"},
    {"LLC-stores",
     "",
     {"last-stores"},
     second_level,
     "stores that came to the last level of cache"},
    {"LLC-store-misses",
     "",
     {"last-store-misses"},
     second_level,
     "stores that missed the last level of cache"},
    {"LLC-fetches",
     "",
     {"last-fetches"},
     second_level,
     "instructions that came to the last level of cache"},
    {"LLC-fetch-misses",
     "",
     {"last-fetch-misses"},
     second_level,
     "instructions that missed the last level of cache"},
    {"cache-references",
     "",
     {"last-fetches", "last-loads", "last-stores"},
     nothing,
     "accesses to the last level of cache, the data cache where it is the only one"},
    {"cache-misses",
     "",
     {"last-fetch-misses", "last-load-misses", "last-store-misses"},
     nothing,
     "accesses that missed the last level of cache, the data cache where it is the only one"},

    {"dTLB-loads", "", {"loads"}, nothing, "loads: each asks the data micro TLB"},
    {"dTLB-load-misses", "", {"dtlb-load-misses"}, nothing, "loads that missed the data micro TLB"},
    {"dTLB-stores", "", {"stores"}, nothing, "stores: each asks the data micro TLB"},
    {"dTLB-store-misses",
     "",
     {"dtlb-store-misses"},
     nothing,
     "stores that missed the data micro TLB"},
    {"iTLB-loads", "", {"instructions"}, nothing, "instructions fetched"},
    {"iTLB-load-misses", "", {"itlb-misses"}, nothing, "misses of the instruction micro TLB"},
    {"l1d_tlb_refill",
     "",
     {"dtlb-load-misses", "dtlb-store-misses"},
     nothing,
     "misses of the data micro TLB"},
    {"main-tlb-accesses",
     "",
     {"itlb-misses", "dtlb-load-misses", "dtlb-store-misses"},
     main_tlb,
     "translations that the main TLB was asked for"},
    {"main-tlb-misses",
     "",
     {"walk-fetches", "walk-loads", "walk-stores"},
     main_tlb,
     "translations that the main TLB had not"},
    {"dtlb_walk", "", {"walk-loads", "walk-stores"}, nothing, "page table walks for data"},
    {"itlb_walk", "", {"walk-fetches"}, nothing, "page table walks for instructions"},
});

std::string_view column_of(std::string_view name, const CpuModel& model) {
  const auto found = std::ranges::find(kLast, name, &LastLevel::name);
  if (found == kLast.end()) return name;
  if (model.l3) return found->columns[2];
  return found->columns[model.l2 ? 1 : 0];
}

std::string reason_of(Needs needs, const CpuModel& model) {
  if (needs == second_level && !model.l2)
    return fmt::format("the model {} has no second level of cache", model.name);
  if (needs == main_tlb && !model.main_tlb)
    return fmt::format("the model {} has no main TLB", model.name);
  return {};
}

}  // namespace

std::vector<SimulatedEvent> simulated_events(const CpuModel& model) {
  std::vector<SimulatedEvent> events;
  for (const Row& row : kRows) {
    SimulatedEvent event{.name = row.name,
                         .alias = row.alias,
                         .description = row.description,
                         .columns = {},
                         .nanoseconds = row.needs == time,
                         .reason = reason_of(row.needs, model)};
    for (const std::string_view name : row.columns)
      if (const auto column = column_of(name, model); !column.empty())
        event.columns.push_back(column);
    if (!event.reason.empty()) event.columns.clear();
    events.push_back(std::move(event));
  }
  return events;
}

Result<std::size_t> find_simulated_event(std::string_view spec,
                                         std::span<const SimulatedEvent> events) {
  constexpr std::string_view kListed = "'tacho list --pmu simulated' shows what is simulated";
  const auto [name, modifiers] = split_modifiers(spec);
  const auto found = std::ranges::find_if(events, [name](const SimulatedEvent& event) {
    return same_letters(event.name, name) ||
           (!event.alias.empty() && same_letters(event.alias, name));
  });
  if (found == events.end()) {
    std::vector<std::string> names;
    for (const SimulatedEvent& event : events) names.emplace_back(event.name);
    std::string remedy = did_you_mean(name, names);
    if (remedy.empty()) remedy = kListed;
    return failure(fmt::format("event '{}' is not simulated", name), remedy);
  }
  Event checked;
  TACHO_TRY(apply_modifiers(modifiers, spec, checked));
  if (modifiers.find_first_of("khG") != std::string_view::npos)
    return failure(fmt::format("event '{}': only user mode is simulated", spec),
                   fmt::format("ask for '{}'", name));
  if (!found->reason.empty())
    return failure(fmt::format("event '{}': {}", spec, found->reason), std::string(kListed));
  return static_cast<std::size_t>(found - events.begin());
}

}  // namespace tacho
