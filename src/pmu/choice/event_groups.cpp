#include "pmu/choice/event_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "events/core_parts.hpp"
#include "events/modifiers.hpp"
#include "events/split_events.hpp"
#include "simulation/simulated_events.hpp"

namespace tacho {
namespace {

// Adds a remedy if a simulation can count the event, which has the name that the bundled sets use.
Error with_simulation(Error error, const Pmu& pmu, std::string_view spec) {
  if (pmu.capabilities().kind != PmuKind::simulated && is_simulated_event(spec))
    error.remedy = fmt::format("--pmu simulated counts it; {}", error.remedy);
  return error;
}

// Adds events to groups, each once.
class GroupBuilder {
 public:
  explicit GroupBuilder(const Pmu& pmu) : pmu_(pmu) {}

  Result<void> add_group(const std::vector<std::string>& specs) {
    EventGroup group;
    first_of_group_ = seen_.size();
    for (const std::string& spec : specs)
      for (const std::string& name : pmu_.expand(spec)) {
        auto event = pmu_.resolve(name);
        if (!event) return std::unexpected(with_simulation(event.error(), pmu_, name));
        const bool is_new = TACHO_TRY(note(*event));
        if (is_new) std::ranges::move(pmu_.parts_of(*event), std::back_inserter(group));
      }
    std::ranges::move(by_core_pmu(group), std::back_inserter(groups_));
    return {};
  }

  std::vector<EventGroup> take() { return std::move(groups_); }

 private:
  // Whether the event is to be added. A user who writes an event twice in a group wants both.
  Result<bool> note(const Event& event) {
    const auto same = std::ranges::find(seen_, event.name, &Event::name);
    if (same != seen_.end() && *same != event)
      return failure(fmt::format("two different events have the name '{}'", event.name),
                     "give each a name of its own, as in cpu-clock/period=20000,name=slow/");
    const bool is_new = same == seen_.end() ||
                        std::find(seen_.begin() + static_cast<std::ptrdiff_t>(first_of_group_),
                                  seen_.end(), event) != seen_.end();
    if (is_new) seen_.push_back(event);
    return is_new;
  }

  const Pmu& pmu_;
  std::vector<EventGroup> groups_;
  std::vector<Event> seen_;
  std::size_t first_of_group_ = 0;  // in seen_
};

}  // namespace

Result<std::vector<EventGroup>> resolve_groups(const Pmu& pmu,
                                               const std::vector<std::string>& lists,
                                               std::span<const std::string> places) {
  GroupBuilder builder(pmu);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto wrong = [&](Error error) {
      if (i < places.size() && !places[i].empty())
        error.what = fmt::format("{}: {}", places[i], error.what);
      return std::unexpected(std::move(error));
    };
    const auto split = split_events(lists[i]);
    if (!split) return wrong(split.error());
    for (const std::vector<std::string>& specs : *split)
      if (const auto added = builder.add_group(specs); !added) return wrong(added.error());
  }
  return builder.take();
}

bool is_simulated_event(std::string_view spec) {
  const std::string_view name = split_modifiers(spec).first;
  return std::ranges::any_of(simulated_events(CpuModel()),
                             [&](const SimulatedEvent& each) { return each.name == name; });
}

}  // namespace tacho
