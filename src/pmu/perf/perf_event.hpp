// The kernel's perf_event PMUs: the core's counters and the kernel's software events.
#pragma once

#include <memory>

#include "events/catalogue.hpp"
#include "pmu/perf/try_event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/trust/plausibility.hpp"

namespace tacho {

enum class Trust {
  checked,   // core events are used when they count known loops plausibly (--pmu auto)
  believed,  // core events are used unchecked (--pmu hardware)
  refused,   // software events only (--pmu software)
};

class PerfEventPmu final : public Pmu {
 public:
  PerfEventPmu(const Catalogue& catalogue, Trust trust);

  Capabilities capabilities() const override;
  // Where kernel mode may not be counted and the user named no privilege level, the event is
  // narrowed: it counts user mode only and its name says so (`:u`).
  Result<Event> resolve(std::string_view spec) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> groups, const Target& target,
                                          Start start, const SampleSpec& spec) override;

  Judge& judge() { return judge_; }

 private:
  Result<void> admit(std::span<const Event> events) const;
  Result<void> believe(std::span<const Event> events);

  const Catalogue& catalogue_;
  Trust trust_;
  std::string restriction_;  // why kernel mode may not be counted
  Judge judge_{try_event};
  bool core_opened_ = false;
};

}  // namespace tacho
