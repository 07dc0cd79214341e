// The PMU that counts with an ARM core's registers, read and written by tacho itself: the kernel
// module tacho_pmu lets it. A core's counters count whatever runs there, so tacho and the command
// that it launches stay on one CPU. The kernel's software events are counted by perf_event beside.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "events/catalogue.hpp"
#include "events/core_events.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/registers/bank.hpp"
#include "pmu/trust/plausibility.hpp"

namespace tacho::arm {

// Cycles, one count each 64 of them: the event of the cycle counter's divider.
inline constexpr std::string_view kDividedCycles = "cycles-div64";

// What the PMU counts with. Tests put made-up parts together.
struct Core {
  CoreEvents events;
  Architecture architecture = Architecture::armv7;
  int cpu = 0;
  int counters = 0;  // beside the cycle counter
  std::unique_ptr<Registers> registers;
  std::unique_ptr<Witness> witness;
  Bank::Clock clock;
};

// Opens the module's status, chooses the CPU and stays there: the last of those that this process
// may run on and that can be counted. `known` are the cores with a list of events.
Result<Core> open_core(const std::vector<CoreEvents>& known,
                       const std::string& status = kStatusPath);

class ArmRegistersPmu final : public Pmu {
 public:
  // `catalogue` must outlive the PMU: it knows the kernel's own events.
  // Events are tried over known loops, with its own counters if `attempt` is left empty.
  ArmRegistersPmu(const Catalogue& catalogue, Core core, Judge::Try attempt = {});

  Capabilities capabilities() const override;
  // A name of the core's list, `rNN`, `cycles-div64`, or a software event's. Events of perf's that
  // the core does not have resolve too: they do not open, and say why.
  Result<Event> resolve(std::string_view spec) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  std::optional<std::chrono::nanoseconds> attend_within() const override { return kAttendWithin; }
  void attend() override { bank_.look(); }
  std::vector<std::string> remarks() override;

  const CoreEvents& events() const { return core_.events; }

 private:
  // A third of what a stretch may take at most.
  static constexpr std::chrono::milliseconds kAttendWithin{100};

  std::optional<Event> of_core(std::string_view name) const;
  Result<Wanted> wanted(const Event& event) const;
  Result<Trial> attempt(const Yardstick& yardstick);
  std::optional<std::string> doubt(const Event& event);
  Result<void> serve(const Target& target);
  void note_caveats(std::span<const Event> events);

  const Catalogue& catalogue_;
  PerfEventPmu software_;
  Core core_;
  std::unique_ptr<Driver> driver_;
  Bank bank_;
  Judge judge_;
  std::set<std::string> caveats_;  // of the events of this run
};

}  // namespace tacho::arm
