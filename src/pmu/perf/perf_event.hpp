// The PMU that counts by the kernel's perf_event: the core's counters and software events.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "events/catalogue.hpp"
#include "pmu/perf/try_event.hpp"
#include "pmu/pmu.hpp"
#include "pmu/trust/judge.hpp"

namespace tacho {

enum class Trust {
  checked,   // core events are used if their counts of known loops are plausible (--pmu auto)
  believed,  // core events are used without a check (--pmu hardware)
  refused,   // core events are refused (--pmu software)
};

class PerfEventPmu final : public Pmu {
 public:
  PerfEventPmu(const Catalogue& catalogue, Trust trust);

  Capabilities capabilities() const override;
  // Not above kernel.perf_event_max_sample_rate.
  SampleRate default_rate() const override;
  // If the user may not count kernel mode and named no privilege level, the event is narrowed: it
  // counts only user mode, and its name gets `:u`.
  Result<Event> resolve(std::string_view spec) const override;
  std::vector<std::string> expand(std::string_view spec) const override;
  std::vector<Event> parts_of(const Event& event) const override;
  Result<std::unique_ptr<CounterGroup>> open(std::span<const Event> events, const Target& target,
                                             Start start) override;
  Result<std::unique_ptr<Sampler>> sample(std::span<const EventGroup> groups, const Target& target,
                                          Start start, const SampleSpec& spec) override;
  // What the kernel or a PMU refused, so that it was left out.
  std::vector<std::string> remarks() override;

  Judge& judge() { return judge_; }

 private:
  Result<void> admit(std::span<const Event> events) const;
  Result<void> believe(std::span<const Event> events, const Target& target);

  const Catalogue& catalogue_;
  Trust trust_;
  std::string restriction_;  // why the user may not count kernel mode; empty: it is allowed
  Judge judge_{try_event};
  bool core_opened_ = false;
  // On unequal cores: the core PMUs of the events that were opened for more than a trial.
  std::set<std::string> opened_on_;
};

}  // namespace tacho
