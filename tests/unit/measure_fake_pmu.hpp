// A fake PMU with a number of counters that the test chooses. It refuses some events, opens groups
// that never run, and records the CPUs that its groups follow.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "pmu/pmu.hpp"

namespace tacho {

class FakePmu final : public Pmu {
 public:
  int counters = 4;               // of the core
  std::set<std::string> refused;  // events that cannot be opened (ENOENT)
  std::set<std::string> fixed;    // events with a counter of their own, each one counter
  // By event: the leader without which its groups cannot be opened (EINVAL).
  std::map<std::string, std::string> leaders;
  // If set, groups that are too large can be opened. They run this many tenths of the time: 0, or
  // more where the kernel rotates them with the others.
  std::optional<unsigned> overcommits;
  bool has_cycles = true;
  bool follows = true;  // groups can count on a CPU that came online
  std::map<std::pair<int, bool>, int>
      followed;                    // by CPU and new state (online or not): number of groups
  bool one_cycle_counter = false;  // only the first "cycles" runs, as on ARMv7

  Capabilities capabilities() const override {
    return {.kind = PmuKind::hardware, .name = "fake", .restriction = {}};
  }

  // "task-clock" and names that start with "sw" are software events; every other event needs a
  // counter.
  Result<Event> resolve(std::string_view spec) const override {
    if (spec == "cycles" && !has_cycles) return failure("unknown");
    Event event;
    event.name = spec;
    event.domain = spec.starts_with("sw") || spec == "task-clock" ? Domain::software : Domain::core;
    event.type = event.domain == Domain::core ? 4 : 1;
    event.config = std::hash<std::string_view>()(spec);
    event.exclude_kernel = spec.ends_with(":u");
    return event;
  }

  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target&,
                                             Start) override {
    int wanted = 0;
    std::set<std::string> own = fixed;
    int cycles = 0;
    for (const Event& event : events) {
      if (event.name == "cycles") ++cycles;
      if (refused.contains(event.name)) return failure("not here", "elsewhere", ENOENT);
      if (event.domain == Domain::core && own.erase(event.name) == 0) ++wanted;
      if (leaders.contains(event.name) && leaders[event.name] != events.front().name)
        return failure("it needs its leader", "name it", EINVAL);
    }
    if (one_cycle_counter && open_cycles_ + cycles > 1)
      return std::make_unique<Group>(*this, wanted, cycles, 0U);
    const bool fits = open_counters_ + wanted <= counters;
    if (!fits && !overcommits) return failure("too many", "fewer", EINVAL);
    return std::make_unique<Group>(*this, wanted, cycles, fits ? 10 : *overcommits);
  }

 private:
  struct Group final : CounterGroup {
    Group(FakePmu& from, int own, int own_cycles, unsigned tenths)
        : pmu(from), size(own), cycles(own_cycles), running(tenths) {
      pmu.open_counters_ += size;
      pmu.open_cycles_ += cycles;
    }
    ~Group() override {
      pmu.open_counters_ -= size;
      pmu.open_cycles_ -= cycles;
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    Result<void> enable() override { return {}; }
    Result<void> disable() override { return {}; }
    Result<void> read(std::span<Reading> readings) override {
      for (Reading& reading : readings)
        reading = {.value = 1, .enabled_ns = 10, .running_ns = running};
      return {};
    }
    Result<void> follow(int cpu, bool online) override {
      ++pmu.followed[{cpu, online}];
      return pmu.follows ? Result<void>() : failure("not there");
    }
    FakePmu& pmu;
    int size;
    int cycles;
    unsigned running;
  };

  int open_counters_ = 0;
  int open_cycles_ = 0;
};

}  // namespace tacho
