#include "measure/choose_events.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "events/core_parts.hpp"

namespace tacho {
namespace {

struct Candidate {
  std::vector<Result<Event>> events;
  std::ptrdiff_t opened = 0;  // number of events that can be opened
  std::string note;
};

bool opens(Pmu& pmu, const Event& event) {
  return std::ranges::any_of(pmu.parts_of(event), [&](const Event& part) {
    return pmu.open({&part, 1}, Self{}, Start::stopped).has_value();
  });
}

Candidate tried(Pmu& pmu, const ReportSet::Choice& choice) {
  Candidate candidate{.events = {}, .note = choice.note};
  for (const std::string& name : choice.events) {
    candidate.events.push_back(pmu.resolve(name));
    const Result<Event>& event = candidate.events.back();
    if (event && opens(pmu, *event)) ++candidate.opened;
  }
  return candidate;
}

// Returns the choice with the most events that can be opened. If no event can, returns the last
// choice: perf's generic events, whose errors say most about the machine.
Candidate best(Pmu& pmu, const ReportSet& set) {
  const PmuKind kind = pmu.capabilities().kind;
  std::vector<Candidate> candidates;
  for (const ReportSet::Choice& choice : set.choices)
    if (!choice.pmu || *choice.pmu == kind) candidates.push_back(tried(pmu, choice));
  if (candidates.empty()) return {};
  const auto most = std::ranges::max_element(candidates, {}, &Candidate::opened);
  return most->opened > 0 ? *most : candidates.back();
}

}  // namespace

ChosenEvents choose_events(Pmu& pmu, const ReportLayout& layout) {
  ChosenEvents chosen;
  const Error unknown{.what = "this PMU has no event for it", .remedy = {}};
  const auto add = [&](const Result<Event>& event, EventGroup& group, const std::string& note) {
    if (!event) return chosen.rows.push_back({.event = {}, .absent = unknown, .note = {}});
    chosen.rows.push_back({.event = event->name, .absent = {}, .note = note});
    std::ranges::move(pmu.parts_of(*event), std::back_inserter(group));
  };
  const auto keep = [&](const EventGroup& group) {
    std::ranges::move(by_core_pmu(group), std::back_inserter(chosen.groups));
  };
  EventGroup cycles;
  add(pmu.resolve(kCyclesEvent), cycles, {});
  keep(cycles);
  for (const ReportSet& set : layout.sets) {
    const Candidate candidate = best(pmu, set);
    EventGroup group;
    for (std::size_t row = 0; row < set.rows.size(); ++row)
      add(row < candidate.events.size() ? candidate.events[row] : std::unexpected(unknown), group,
          candidate.note);
    keep(group);
  }
  return chosen;
}

}  // namespace tacho
