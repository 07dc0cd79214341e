#include "pmu/perf/perf_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <variant>
#include <vector>

#include "pmu/perf/core_pmu.hpp"
#include "pmu/perf/fallbacks.hpp"
#include "pmu/perf/perf_group.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/perf/perf_sampler.hpp"
#include "pmu/perf/sampling_refused.hpp"
#include "pmu/perf/try_breakpoint.hpp"
#include "pmu/perf/unequal_cores.hpp"

namespace tacho {
namespace {

// Why the user may not count kernel mode; empty if it is allowed. This is tried, because
// capabilities and security modules decide in addition to the sysctl.
std::string kernel_restriction(const Catalogue& catalogue) {
  const auto paranoid = perf_event_paranoid();
  if (paranoid && *paranoid < 2) return {};
  const auto dummy = catalogue.resolve("dummy");
  const auto opened = dummy ? perf_open(*dummy, {}) : std::unexpected(dummy.error());
  if (opened) return {};
  if (paranoid) return fmt::format("kernel.perf_event_paranoid = {}", *paranoid);
  return opened.error().code == EACCES ? "an unknown kernel.perf_event_paranoid" : "";
}

// `instructions` becomes `instructions:u`, `instructions:p` `instructions:pu`, `cpu/x/` `cpu/x/u`.
std::string user_mode_name(const Event& event) {
  if (event.name.ends_with('/')) return event.name + "u";
  const bool has_modifiers = event.precise > 0 || event.pinned || event.exclusive || event.weak ||
                             event.sampling.by_leader;
  return event.name + (has_modifiers ? "u" : ":u");
}

}  // namespace

PerfEventPmu::PerfEventPmu(const Catalogue& catalogue, Trust trust)
    : catalogue_(catalogue), trust_(trust), restriction_(kernel_restriction(catalogue)) {}

Capabilities PerfEventPmu::capabilities() const {
  return {.kind = core_opened_ ? PmuKind::hardware : PmuKind::software,
          .name = !core_opened_        ? "perf_event"
                  : opened_on_.empty() ? core_pmu_name()
                                       : core_pmu_name(opened_on_),
          .kernel_mode = restriction_.empty(),
          .restriction = restriction_};
}

SampleRate PerfEventPmu::default_rate() const {
  const auto highest = highest_frequency();
  if (!highest || *highest >= SampleRate().frequency) return {};
  return {.frequency = std::max(*highest, std::uint64_t{1}),
          .limit = fmt::format("kernel.perf_event_max_sample_rate = {}", *highest)};
}

std::vector<std::string> PerfEventPmu::remarks() {
  return fallback_opener().notices();
}

Result<Event> PerfEventPmu::resolve(std::string_view spec) const {
  auto event = catalogue_.resolve(spec);
  if (event && !event->core_pmu.empty()) event = encoded_here(*event);
  if (!event || restriction_.empty() || !event->any_level || event->counts_in_kernel) return event;
  const bool clock = event->unit == "ns";  // the clocks count in both modes in any case
  event->exclude_kernel = true;
  event->exclude_hv = true;
  event->narrowed = !clock;
  if (!clock) event->name = user_mode_name(*event);
  return event;
}

std::vector<std::string> PerfEventPmu::expand(std::string_view spec) const {
  return catalogue_.expand(spec);
}

std::vector<Event> PerfEventPmu::parts_of(const Event& event) const {
  return parts_here(event);
}

// An error if --pmu or the user's privileges do not allow the events.
Result<void> PerfEventPmu::admit(std::span<const Event> events) const {
  for (const Event& event : events)
    if (!restriction_.empty() && event.counts_in_kernel)
      return failure("it happens in the kernel, which " + restriction_ + " forbids to count",
                     paranoid_remedy(1), EACCES);
  if (trust_ == Trust::refused &&
      std::ranges::find(events, Domain::core, &Event::domain) != events.end())
    return failure("not a software event, and --pmu software counts nothing else",
                   "leave --pmu out, or use --pmu hardware");
  return {};
}

// An error if the counts of one of the opened events are implausible. Software events are counted
// by the kernel, except for breakpoints.
Result<void> PerfEventPmu::believe(std::span<const Event> events, const Target& target) {
  const bool trial = std::holds_alternative<Self>(target);
  for (const Event& event : events) {
    if (trust_ != Trust::believed)
      if (const auto doubt = doubt_of_breakpoint(event))
        return failure(*doubt + ": not believed",
                       "the hypervisor does not pass them on: use another machine");
    if (event.domain != Domain::core) continue;
    if (trust_ == Trust::checked)
      if (const auto doubt = judge_.doubt(event))
        return failure(*doubt + ": not believed",
                       "see 'tacho doctor'; --pmu hardware uses it all the same");
    core_opened_ = true;
    if (!trial && !event.core_pmu.empty()) opened_on_.insert(event.core_pmu);
  }
  return {};
}

Result<std::unique_ptr<CounterGroup>> PerfEventPmu::open(std::span<const Event> events,
                                                         const Target& target, Start start) {
  TACHO_TRY(admit(events));
  // Opened first: an event that can't be opened gives its own reason, and needs no trial.
  auto group = TACHO_TRY(open_perf_group(events, target, start));
  TACHO_TRY(believe(events, target));
  return group;
}

Result<std::unique_ptr<Sampler>> PerfEventPmu::sample(std::span<const EventGroup> groups,
                                                      const Target& target, Start start,
                                                      const SampleSpec& spec) {
  for (const EventGroup& group : groups) TACHO_TRY(admit(group));
  // The clocks count in both modes in any case, but no samples are taken in kernel mode then.
  std::vector<EventGroup> named(groups.begin(), groups.end());
  for (Event& event : named | std::views::join)
    if (event.any_level && event.exclude_kernel && !event.narrowed)
      event.name = user_mode_name(event);
  auto sampler = TACHO_TRY(open_perf_sampler(named, target, start, spec));
  for (const EventGroup& group : groups) TACHO_TRY(believe(group, target));
  return sampler;
}

}  // namespace tacho
