// The PMU that counts with an ARM core's registers. tacho reads and writes them itself, which the
// kernel module tacho_pmu allows. The counters count everything that runs on the core, so tacho and
// the command that it launches stay on one CPU. perf_event counts the software events.
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
#include "pmu/registers/driver.hpp"
#include "pmu/registers/open_core.hpp"
#include "pmu/trust/judge.hpp"

namespace tacho::arm {

// The event of the cycle counter's divider: one count for 64 cycles.
inline constexpr std::string_view kDividedCycles = "cycles-div64";

class ArmRegistersPmu final : public Pmu {
 public:
  // `catalogue` must outlive the PMU: it knows the kernel's own events.
  // Events are tried over known loops by `attempt`; if it is empty, with the PMU's own counters.
  ArmRegistersPmu(const Catalogue& catalogue, Core core, Judge::Try attempt = {});

  Capabilities capabilities() const override;
  // Resolves names of the core's list, `rNN`, `cycles-div64`, and software events. Other events of
  // perf also resolve; opening them gives the reason why the core can't count them.
  Result<Event> resolve(std::string_view spec) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  std::optional<std::chrono::nanoseconds> attend_within() const override { return kAttendWithin; }
  void attend() override { bank_.look(); }
  std::vector<std::string> remarks() override;

  const CoreEvents& events() const { return core_.events; }

 private:
  // A third of the longest stretch.
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
  std::set<std::string> caveats_;  // of the events in this run
};

}  // namespace tacho::arm
