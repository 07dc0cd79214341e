#include "measure/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
    std::vector<Group> scarce = sort_out(groups);
    if (fit_together(scarce)) return std::move(plan_);
    choose_reference(scarce);
    pack(scarce);
    return std::move(plan_);
  }

 private:
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

  // If all events fit together, no set takes turns, and one group counts all the time.
  bool fit_together(const std::vector<Group>& scarce) {
    Group all;
    for (const Group& group : scarce) all.insert(all.end(), group.begin(), group.end());
    if (all.empty()) return true;
    if (pretended_ ? std::cmp_greater(all.size(), *pretended_) : !runs_together(all)) return false;
    plan_.always.insert(plan_.always.begin(), std::move(all));
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
      auto event = pmu_.resolve(name);
      if (!event || !pmu_.open({&*event, 1}, Self{}, Start::stopped)) continue;
      adopt_reference(std::move(*event));
      break;
    }
    if (!plan_.reference) return;
    for (Group& group : scarce) std::erase(group, *plan_.reference);
    std::erase_if(scarce, [](const Group& group) { return group.empty(); });
    plan_.always.insert(plan_.always.begin(), Group{*plan_.reference});
    // Any number of clocks can run at once.
    plan_.reference_in_sets = plan_.events[*plan_.reference].domain != Domain::core ||
                              scarce.empty() || runs_together({scarce.front().front()});
  }

  void adopt_reference(Event event) {
    const auto same = std::ranges::find_if(plan_.events, [&](const Event& asked) {
      return asked.type == event.type && asked.config == event.config &&
             asked.exclude_kernel == event.exclude_kernel &&
             asked.exclude_user == event.exclude_user;
    });
    plan_.reference = static_cast<std::size_t>(same - plan_.events.begin());
    if (same != plan_.events.end()) {
      // It may be one of the software events, which already count all the time.
      for (Group& group : plan_.always) std::erase(group, *plan_.reference);
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
      plan_.warnings.push_back(fmt::format(
          "the group of '{}' needs more counters than there are: its {} events take turns",
          plan_.events[group.front()].name, group.size()));
      for (const std::size_t index : group) pieces.push_back({index});
    }
    Group current;
    for (const Group& piece : pieces) {
      Group larger = current;
      larger.insert(larger.end(), piece.begin(), piece.end());
      if (current.empty() || fits(larger)) {
        current = std::move(larger);
        continue;
      }
      plan_.sets.push_back(std::move(current));
      current = piece;
    }
    if (!current.empty()) plan_.sets.push_back(std::move(current));
    if (plan_.sets.size() == 1) return count_always();
    std::size_t most = 0;
    for (const Group& set : plan_.sets) most = std::max(most, set.size());
    plan_.counters = pretended_ ? *pretended_ : static_cast<int>(most);
    if (pmu_.capabilities().knows_all)
      for (const Group& set : plan_.sets)
        plan_.truth.insert(plan_.truth.end(), set.begin(), set.end());
  }

  // A single set is on all the time: its counts are not estimates, and there is nothing to scale.
  void count_always() {
    plan_.always.push_back(std::move(plan_.sets.front()));
    plan_.sets.clear();
    const auto reference = std::exchange(plan_.reference, std::nullopt);
    if (reference && *reference >= plan_.asked) std::erase(plan_.always, Group{*reference});
  }

  bool fits(const Group& set) {
    if (pretended_) return std::cmp_less_equal(set.size(), *pretended_);
    return runs_together(set);
  }

  // It is not enough that a group can be opened. It may never run, or the kernel may rotate it with
  // the reference. So both are tried on this thread as in the real run, and both must run all the
  // time.
  bool runs_together(const Group& set) {
    std::vector<std::unique_ptr<CounterGroup>> groups;
    std::vector<Event> events;
    if (plan_.reference) {
      events.push_back(plan_.events[*plan_.reference]);
      auto reference = pmu_.open(events, Self{}, Start::stopped);
      if (!reference) return false;
      groups.push_back(std::move(*reference));
    }
    if (!plan_.reference_in_sets) events.clear();
    for (const std::size_t index : set) events.push_back(plan_.events[index]);
    auto group = pmu_.open(events, Self{}, Start::stopped);
    if (!group) return false;
    groups.push_back(std::move(*group));
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
};

}  // namespace

Plan make_plan(Pmu& pmu, const std::vector<EventGroup>& groups, std::optional<int> counters) {
  return Planner(pmu, counters).plan(groups);
}

}  // namespace tacho
