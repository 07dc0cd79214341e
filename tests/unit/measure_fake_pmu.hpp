// A PMU made of numbers, for machines that can't be had: it has so many counters, refuses some
// events, and opens groups that never run.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "pmu/pmu.hpp"

namespace tacho {

class FakePmu final : public Pmu {
 public:
  int counters = 4;               // of the core
  std::set<std::string> refused;  // give ENOENT
  // Opens groups that are too large, and runs them so many tenths of the time: 0, or some where the
  // kernel rotates them with the others.
  std::optional<unsigned> overcommits;
  bool has_cycles = true;
  bool one_cycle_counter = false;  // one "cycles" at a time runs, as on ARMv7; the next ones never

  Capabilities capabilities() const override {
    return {.kind = "hardware", .name = "fake", .restriction = {}};
  }

  // "task-clock" and names that start with "sw" are software events; all else takes a counter.
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
    int cycles = 0;
    for (const Event& event : events) {
      if (event.name == "cycles") ++cycles;
      if (refused.contains(event.name)) return failure("not here", "elsewhere", ENOENT);
      if (event.domain == Domain::core) ++wanted;
    }
    if (one_cycle_counter && open_cycles_ + cycles > 1)
      return std::make_unique<Group>(open_counters_, wanted, 0U, open_cycles_, cycles);
    const bool fits = open_counters_ + wanted <= counters;
    if (!fits && !overcommits) return failure("too many", "fewer", EINVAL);
    return std::make_unique<Group>(open_counters_, wanted, fits ? 10 : *overcommits, open_cycles_,
                                   cycles);
  }

 private:
  struct Group final : CounterGroup {
    Group(int& total, int own, unsigned tenths, int& total_cycles, int own_cycles)
        : open(total), size(own), running(tenths), open_cycles(total_cycles), cycles(own_cycles) {
      open += size;
      open_cycles += cycles;
    }
    ~Group() override {
      open -= size;
      open_cycles -= cycles;
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
    int& open;
    int size;
    unsigned running;
    int& open_cycles;
    int cycles;
  };

  int open_counters_ = 0;
  int open_cycles_ = 0;
};

}  // namespace tacho
