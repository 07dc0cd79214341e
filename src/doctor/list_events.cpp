#include "doctor/list_events.hpp"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "doctor/register_events.hpp"
#include "doctor/simulated_events_list.hpp"
#include "events/catalogue.hpp"
#include "events/describe_events.hpp"
#include "events/pfm.hpp"
#include "pmu/choice/make_pmu.hpp"
#include "pmu/choice/pmu_option.hpp"

namespace tacho {
namespace {

constexpr std::string_view kTracepointSource = "tracepoint";

std::string_view subsystem(std::string_view tracepoint) {
  return tracepoint.substr(0, tracepoint.find(':'));
}

// Why the event can't be opened on the calling thread, or on every CPU if its PMU counts CPUs only.
std::string why_not(Pmu& pmu, const Event& event) {
  const bool of_cpus = !event.cpus.empty() && event.core_pmu.empty();
  const Target target = of_cpus ? Target(EveryCpu{}) : Target(Self{});
  const auto opened = pmu.open({&event, 1}, target, Start::stopped);
  return opened ? "" : opened.error().what;
}

// Whether the event needs a counter of a core's PMU, which --pmu software never counts.
bool is_of_core(const Pmu& pmu, const EventDescription& description) {
  const auto event = pmu.resolve(description.name);
  return event && event->domain == Domain::core;
}

// On unequal cores, an event that only some of the core PMUs have opens, and says where it does
// not.
ListedEvent try_to_open(Pmu& pmu, const EventDescription& description) {
  ListedEvent listed{description.name, description.source, description.description, false, {}};
  const auto event = pmu.resolve(description.name);
  if (!event) {
    listed.reason = event.error().what;
    return listed;
  }
  const std::vector<Event> parts = pmu.parts_of(*event);
  for (const Event& part : parts) {
    const std::string reason = why_not(pmu, part);
    if (reason.empty())
      listed.opens = true;
    else if (listed.reason.empty())
      listed.reason = reason;
    if (!reason.empty() && parts.size() > 1)
      listed.description += fmt::format("; not on {}", part.core_pmu);
  }
  if (listed.opens) listed.reason.clear();
  return listed;
}

// Only the privileged may open it, whether or not the other tracepoints of its subsystem open.
bool stands_alone(const std::string& tracepoint) {
  return tracepoint == "ftrace:function";
}

// The first tracepoint of a subsystem is tried for all of them: the kernel takes 40 ms to close
// one.
std::vector<ListedEvent> try_all(Pmu& pmu, std::span<const EventDescription> described) {
  std::vector<ListedEvent> events;
  for (const EventDescription& event : described) {
    const bool like_last = event.source == kTracepointSource && !events.empty() &&
                           events.back().source == event.source && !stands_alone(event.name) &&
                           !stands_alone(events.back().name) &&
                           subsystem(events.back().name) == subsystem(event.name);
    if (!like_last) {
      events.push_back(try_to_open(pmu, event));
      continue;
    }
    const ListedEvent& last = events.back();
    events.push_back({event.name, event.source, event.description, last.opens, last.reason});
  }
  return events;
}

Result<EventListing> of_simulation(const std::string& pattern, std::string_view model) {
  SimulatedListing listing = TACHO_TRY(simulated_listing(pattern, model));
  return EventListing{std::move(listing.events), std::move(listing.models),
                      "'tacho list --pmu simulated' without a pattern shows all"};
}

}  // namespace

Result<EventListing> list_events(const std::string& pattern, const std::string& pmu) {
  if (const auto model = simulated_model(pmu)) return of_simulation(pattern, *model);
  const Catalogue catalogue;
  const PmuChoice choice = TACHO_TRY(parse_pmu_option(pmu));
  const auto chosen = TACHO_TRY(make_pmu(choice, catalogue));
  std::vector<EventDescription> described;
  if (choice.kind == PmuKind::arm_registers)
    described = TACHO_TRY(register_events(pattern));
  else
    described = describe_events(catalogue, pattern);
  if (choice.kind == PmuKind::software)
    std::erase_if(described,
                  [&](const EventDescription& event) { return is_of_core(*chosen, event); });
  std::string remedy =
      "'tacho list' without a pattern shows all; tracepoints need tracefs mounted and readable";
  if (!pfm_absence().empty()) (remedy += "; ") += pfm_absence();
  return EventListing{try_all(*chosen, described), {}, std::move(remedy)};
}

}  // namespace tacho
