#include "measure/fill_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// These codes mean that the event could not be opened this time; any other, that the machine cannot
// count it.
Duty refused_duty(int code) {
  for (const int failed : {EMFILE, ENFILE, ENOMEM, ENOSPC, EBUSY, ESRCH})
    if (code == failed) return Duty::failed;
  return Duty::unsupported;
}

void mark_without_counter(CountedEvent& event) {
  event.duty = Duty::failed;
  event.reason =
      "it was opened but never got a counter: another program uses the PMU, or the group is too "
      "large";
  event.remedy =
      "end other users of the PMU (the NMI watchdog: sysctl kernel.nmi_watchdog=0), or ask for "
      "fewer events";
}

// Sets the reference's total. Every estimate is scaled by it, so it must include the time in which
// the kernel gave its counter to another program.
void fill_reference(Measurement& m) {
  const double running = m.always_running.front();
  m.reference_total = m.always.front();
  if (running <= 0 || running >= 1) return;
  m.reference_total =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(m.reference_total) / running));
  m.warnings.push_back(
      fmt::format("{} scales the estimates, but had a counter for {:.1f} % of the time only: the "
                  "estimates are less certain than their intervals (stop other users of the PMU)",
                  m.reference, 100 * running));
}

}  // namespace

Measurement blank_measurement(const Plan& plan, const std::vector<std::optional<Error>>& refused) {
  Measurement m;
  for (std::size_t i = 0; i < plan.asked; ++i) {
    CountedEvent event;
    event.name = plan.events[i].name;
    event.unit = plan.events[i].unit;
    event.scale = plan.events[i].scale;
    event.narrowed = plan.events[i].narrowed;
    if (refused[i]) {
      event.duty = refused_duty(refused[i]->code);
      event.reason = refused[i]->what;
      event.remedy = refused[i]->remedy;
    }
    m.events.push_back(std::move(event));
  }
  const auto place = [&](std::size_t index, Duty duty, std::size_t set, std::size_t slot) {
    if (index >= plan.asked) return;
    CountedEvent& event = m.events[index];
    if (!refused[index]) event.duty = duty;
    event.set = set;
    event.slot = slot;
  };
  std::size_t slot = 0;
  for (const auto& group : plan.always)
    for (const std::size_t index : group) place(index, Duty::always, 0, slot++);
  for (const std::size_t index : plan.truth) {
    if (index < plan.asked) m.events[index].truth = slot;
    ++slot;
  }
  for (std::size_t set = 0; set < plan.sets.size(); ++set)
    for (std::size_t i = 0; i < plan.sets[set].size(); ++i)
      place(plan.sets[set][i], Duty::turned, set, i);
  m.always.resize(slot);
  m.always_running.resize(slot, 1.0);
  m.sets = plan.sets.size();
  if (plan.reference) m.reference = plan.events[*plan.reference].name;
  m.warnings = plan.warnings;
  return m;
}

void add(Period& whole, const Period& part) {
  whole.reference += part.reference;
  whole.enabled_ns += part.enabled_ns;
  whole.running_ns += part.running_ns;
  whole.counts.resize(std::max(whole.counts.size(), part.counts.size()));
  for (std::size_t i = 0; i < part.counts.size(); ++i) whole.counts[i] += part.counts[i];
}

void add(std::vector<Reading>& whole, std::span<const Reading> part) {
  whole.resize(std::max(whole.size(), part.size()));
  for (std::size_t i = 0; i < part.size(); ++i) whole[i] += part[i];
}

void fill_totals(Measurement& m, const Plan& plan, std::span<const Reading> always) {
  for (std::size_t slot = 0; slot < m.always.size(); ++slot) {
    const Reading& reading = always[slot];
    m.always[slot] = reading.value;
    m.always_running[slot] = reading.enabled_ns == 0 ? 1.0
                                                     : static_cast<double>(reading.running_ns) /
                                                           static_cast<double>(reading.enabled_ns);
  }
  // The reference is in the first slot.
  if (plan.reference) fill_reference(m);
  std::vector<std::uint64_t> enabled(m.sets);
  std::vector<std::uint64_t> running(m.sets);
  for (const Period& period : m.periods) {
    enabled[period.set] += period.enabled_ns;
    running[period.set] += period.running_ns;
  }
  for (CountedEvent& event : m.events) {
    if (event.duty == Duty::always && always[event.slot].enabled_ns > 0 &&
        always[event.slot].running_ns == 0)
      mark_without_counter(event);
    if (event.duty == Duty::turned && enabled[event.set] > 0 && running[event.set] == 0)
      mark_without_counter(event);
  }
}

std::vector<std::uint64_t> values(std::span<const Reading> readings) {
  std::vector<std::uint64_t> result;
  for (const Reading& reading : readings) result.push_back(reading.value);
  return result;
}

std::vector<Reading> gained_since(std::vector<Reading>& before, std::vector<Reading> now) {
  std::vector<Reading> gained = now;
  before.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) gained[i] -= before[i];
  before = std::move(now);
  return gained;
}

}  // namespace tacho
