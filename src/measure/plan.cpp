#include "measure/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <ranges>
#include <utility>

#include "pmu/on_cores_of.hpp"
#include "pmu/trust/known_loop.hpp"

namespace tacho {
namespace {

using Group = std::vector<std::size_t>;

// About 10 µs: long enough for the kernel to schedule the counters, too short to notice.
constexpr std::uint32_t kTrialIterations = 20'000;

bool ran_all_the_time(const Reading& reading) {
  return reading.running_ns > 0 && reading.running_ns >= reading.enabled_ns;
}

class Planner {
 public:
  Planner(Pmu& pmu, std::optional<int> counters) : pmu_(pmu), pretended_(counters) {}

  Plan plan(const std::vector<EventGroup>& groups) {
    const std::vector<Group> scarce = sort_out(groups);
    for (LaneGroups& each : by_lane(scarce)) {
      lane_ = std::move(each.lane);
      if (!fit_together(each.groups)) {
        choose_reference(each.groups);
        pack(each.groups);
      }
      plan_.lanes.push_back(std::move(lane_));
    }
    add_lanes_of_led_groups();
    keep_lanes();
    return std::move(plan_);
  }

 private:
  struct LaneGroups {
    PlannedLane lane;
    std::vector<Group> groups;
  };

  // The lane of the event's core PMU, without sets.
  static PlannedLane blank_lane(const Event& event) {
    return {.pmu = event.core_pmu,
            .cpus = event.core_pmu.empty() ? "" : event.cpus,
            .reference = {},
            .counters = {}};
  }

  // The groups of each core PMU. Where all cores are alike, there is one lane.
  std::vector<LaneGroups> by_lane(const std::vector<Group>& scarce) const {
    std::vector<LaneGroups> lanes;
    for (const Group& group : scarce) {
      const Event& event = plan_.events[group.front()];
      auto own = std::ranges::find(lanes, event.core_pmu,
                                   [](const LaneGroups& each) { return each.lane.pmu; });
      if (own == lanes.end()) own = lanes.insert(own, {.lane = blank_lane(event), .groups = {}});
      own->groups.push_back(group);
    }
    return lanes;
  }

  // A group that needs its leader may be all that is counted on its cores.
  void add_lanes_of_led_groups() {
    for (const std::size_t index : plan_.always | std::views::join) {
      const Event& event = plan_.events[index];
      if (event.core_pmu.empty() ||
          std::ranges::find(plan_.lanes, event.core_pmu, &PlannedLane::pmu) != plan_.lanes.end())
        continue;
      plan_.lanes.push_back(blank_lane(event));
    }
  }

  // The lanes are named only where cores are unequal.
  void keep_lanes() {
    if (plan_.lanes.empty()) return;
    const PlannedLane& first = plan_.lanes.front();
    plan_.reference = first.reference;
    plan_.reference_in_sets = first.reference_in_sets;
    plan_.counters = first.counters;
    if (std::ranges::all_of(plan_.lanes,
                            [](const PlannedLane& lane) { return lane.pmu.empty(); })) {
      plan_.lanes.clear();
      plan_.lane_of_set.clear();
    } else {
      plan_.counters = pretended_;  // each lane has its own number
    }
  }

  // Plans software events and events of other PMUs to count all the time; returns the groups that
  // need core counters. Breakpoints count all the time, in any group and for any number of
  // counters: each hit takes microseconds, so the program would run at another speed during their
  // turns.
  std::vector<Group> sort_out(const std::vector<EventGroup>& groups) {
    std::vector<Group> scarce;
    for (const EventGroup& group : groups) {
      Group members;
      bool needs_counters = pretended_.has_value();
      for (const Event& event : group) {
        const std::size_t index = plan_.events.size();
        plan_.events.push_back(event);
        plan_.refused.emplace_back();
        if (event.access != 0) {
          plan_.always.push_back({index});
          continue;
        }
        members.push_back(index);
        needs_counters = needs_counters || event.domain == Domain::core;
      }
      if (members.empty()) continue;
      if (!needs_counters)
        plan_.always.push_back(std::move(members));
      else if (drop_refused(members); !members.empty())
        scarce.push_back(std::move(members));
    }
    plan_.asked = plan_.events.size();
    return scarce;
  }

  // Removes the events that cannot be opened alone. After that, a refusal means that the set is
  // full. Some events open only behind the leader of their group (Intel's topdown-* behind slots):
  // such a group keeps its leader and counts all the time, because it can't share a set with
  // others.
  void drop_refused(Group& members) {
    Group alone = members;
    std::vector<std::optional<Error>> refused(plan_.events.size());
    std::erase_if(alone, [&](std::size_t index) {
      auto opened = pmu_.open({&plan_.events[index], 1}, Self{}, Start::stopped);
      if (!opened) refused[index] = opened.error();
      return !opened;
    });
    if (alone.size() < members.size() && members.size() > 1 && runs_together(members)) {
      plan_.always.push_back(std::exchange(members, {}));
      return;
    }
    for (const std::size_t index : members) plan_.refused[index] = std::move(refused[index]);
    members = std::move(alone);
  }

  // The groups of the lanes come first, in the order of the lanes.
  void add_to_front(Group group) {
    plan_.always.insert(plan_.always.begin() + fronts_++, std::move(group));
  }

  // If all events fit together, no set takes turns, and one group counts all the time.
  bool fit_together(const std::vector<Group>& scarce) {
    Group all;
    for (const Group& group : scarce) all.insert(all.end(), group.begin(), group.end());
    if (all.empty()) return true;
    if (pretended_ ? std::cmp_greater(all.size(), *pretended_) : !runs_together(all)) return false;
    add_to_front(std::move(all));
    return true;
  }

  // Takes cycles as the reference if core events take turns, else task-clock. The reference leaves
  // its group, because it counts all the time. If all events count user mode only, the reference is
  // cycles of user mode only: the kernel's work at exec and exit is a burst, which such events do
  // not follow.
  void choose_reference(std::vector<Group>& scarce) {
    bool core = false;
    bool user_only = true;
    for (const Group& group : scarce) {
      for (const std::size_t index : group) {
        const Event& event = plan_.events[index];
        core = core || event.domain == Domain::core;
        user_only = user_only && event.exclude_kernel && !event.exclude_user;
      }
    }
    for (const char* name : {user_only ? "cycles:u" : "cycles", "task-clock"}) {
      if (name != std::string_view("task-clock") && !core) continue;
      auto event = reference_event(name);
      if (!event || !pmu_.open({&*event, 1}, Self{}, Start::stopped)) continue;
      adopt_reference(std::move(*event));
      break;
    }
    if (!lane_.reference) return refuse_without_reference(scarce);
    for (Group& group : scarce) std::erase(group, *lane_.reference);
    std::erase_if(scarce, [](const Group& group) { return group.empty(); });
    add_to_front({*lane_.reference});
    // Any number of clocks can run at once.
    lane_.reference_in_sets = plan_.events[*lane_.reference].domain != Domain::core ||
                              scarce.empty() || runs_together({scarce.front().front()});
  }

  // The event of this name that belongs to the lane. A clock counts on all cores, so it is no
  // reference for the time on some of them.
  std::optional<Event> reference_event(const char* name) const {
    const auto event = pmu_.resolve(name);
    if (!event) return std::nullopt;
    for (Event& part : pmu_.parts_of(*event))
      if (part.core_pmu == lane_.pmu) return std::move(part);
    // The lane has core events of which no PMU is known, as some of libpfm4's.
    return lane_.pmu.empty() ? std::optional(*event) : std::nullopt;
  }

  void refuse_without_reference(std::vector<Group>& scarce) {
    if (lane_.pmu.empty()) return;
    for (const std::size_t index : scarce | std::views::join)
      plan_.refused[index] = Error{
          fmt::format("{} cannot count all events at once, and counts no cycles by which events "
                      "that take turns could be scaled",
                      lane_.pmu),
          "ask for fewer events at once", EINVAL};
    scarce.clear();
  }

  void adopt_reference(Event event) {
    const auto same = std::ranges::find_if(plan_.events, [&](const Event& asked) {
      return asked.type == event.type && asked.config == event.config &&
             asked.exclude_kernel == event.exclude_kernel &&
             asked.exclude_user == event.exclude_user;
    });
    const auto index = static_cast<std::size_t>(same - plan_.events.begin());
    lane_.reference = index;
    if (same != plan_.events.end()) {
      // It may be one of the software events, which already count all the time.
      for (Group& group : plan_.always) std::erase(group, index);
      std::erase_if(plan_.always, [](const Group& group) { return group.empty(); });
      return;
    }
    plan_.events.push_back(std::move(event));
    plan_.refused.emplace_back();
  }

  // First fit, in the order of the request. A group that does not fit alone is divided into its
  // events.
  void pack(const std::vector<Group>& scarce) {
    std::vector<Group> pieces;
    for (const Group& group : scarce) {
      if (group.size() == 1 || fits(group)) {
        pieces.push_back(group);
        continue;
      }
      if (!plan_.events[group.front()].weak)
        plan_.warnings.push_back(fmt::format(
            "the group of '{}' needs more counters than there are: its {} events take turns",
            plan_.events[group.front()].name, group.size()));
      for (const std::size_t index : group) pieces.push_back({index});
    }
    std::vector<Group> sets = first_fit(pieces);
    if (sets.size() <= 1) return count_always(std::move(sets));
    std::size_t most = 0;
    for (const Group& set : sets) most = std::max(most, set.size());
    lane_.counters = pretended_ ? *pretended_ : static_cast<int>(most);
    if (pmu_.capabilities().knows_all)
      for (const Group& set : sets) plan_.truth.insert(plan_.truth.end(), set.begin(), set.end());
    std::ranges::move(sets, std::back_inserter(plan_.sets));
    plan_.lane_of_set.resize(plan_.sets.size(), plan_.lanes.size());
  }

  std::vector<Group> first_fit(const std::vector<Group>& pieces) {
    std::vector<Group> sets;
    for (const Group& piece : pieces) {
      Group larger = sets.empty() ? Group() : sets.back();
      larger.insert(larger.end(), piece.begin(), piece.end());
      if (!sets.empty() && fits(larger))
        sets.back() = std::move(larger);
      else
        sets.push_back(piece);
    }
    return sets;
  }

  // A single set is on all the time: its counts are not estimates, and there is nothing to scale.
  void count_always(std::vector<Group> sets) {
    for (Group& set : sets) plan_.always.push_back(std::move(set));
    const auto reference = std::exchange(lane_.reference, std::nullopt);
    if (!reference || *reference < plan_.asked) return;
    fronts_ -= static_cast<std::ptrdiff_t>(std::erase(plan_.always, Group{*reference}));
  }

  bool fits(const Group& set) {
    if (pretended_) return std::cmp_less_equal(set.size(), *pretended_);
    return runs_together(set);
  }

  // It is not enough that a group can be opened. It may never run, or the kernel may rotate it with
  // the reference. So both are tried on this thread as in the real run, and both must run all the
  // time. If the thread may not run on these cores, nothing more than opening can be tried.
  bool runs_together(const Group& set) {
    const OnCoresOf cores(plan_.events[set.front()]);
    std::vector<std::unique_ptr<CounterGroup>> groups;
    std::vector<Event> events;
    if (lane_.reference) {
      events.push_back(plan_.events[*lane_.reference]);
      auto reference = pmu_.open(events, Self{}, Start::stopped);
      if (!reference) return false;
      groups.push_back(std::move(*reference));
    }
    if (!lane_.reference_in_sets) events.clear();
    for (const std::size_t index : set) events.push_back(plan_.events[index]);
    auto group = pmu_.open(events, Self{}, Start::stopped);
    if (!group) return false;
    groups.push_back(std::move(*group));
    if (!cores.there()) return true;
    for (const auto& each : groups)
      if (!each->enable()) return false;
    run_known_loop(kTrialIterations);
    for (const auto& each : groups)
      if (!each->disable()) return false;
    std::vector<Reading> readings(events.size());
    if (!groups.back()->read(readings) || !ran_all_the_time(readings.front())) return false;
    readings.resize(1);
    return groups.size() == 1 ||
           (groups.front()->read(readings) && ran_all_the_time(readings.front()));
  }

  Pmu& pmu_;
  std::optional<int> pretended_;  // counters that the user asks to plan for
  Plan plan_;
  PlannedLane lane_;           // the one that is being planned
  std::ptrdiff_t fronts_ = 0;  // groups of lanes at the front of plan_.always
};

}  // namespace

PlannedLane Plan::lane_of(std::size_t set) const {
  if (!lanes.empty()) return lanes[lane_of_set[set]];
  return {.pmu = {},
          .cpus = {},
          .reference = reference,
          .reference_in_sets = reference_in_sets,
          .counters = counters};
}

std::optional<std::size_t> Plan::always_slot(std::size_t event) const {
  std::size_t slot = 0;
  for (const Group& group : always)
    for (const std::size_t member : group) {
      if (member == event) return slot;
      ++slot;
    }
  return std::nullopt;
}

std::vector<std::vector<std::size_t>> Plan::sets_of_lanes() const {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const bool next = set == 0 || (!lanes.empty() && lane_of_set[set] != lane_of_set[set - 1]);
    if (next) result.emplace_back();
    result.back().push_back(set);
  }
  return result;
}

Plan make_plan(Pmu& pmu, const std::vector<EventGroup>& groups, std::optional<int> counters) {
  return Planner(pmu, counters).plan(groups);
}

}  // namespace tacho
