#include "profile/sampled_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "base/number.hpp"
#include "locate/recording_input.hpp"

namespace tacho {
namespace {

// Counts of a report: its rows times their events, and one more for each sample. One takes about
// 80 bytes with its figures, and 170 as JSON.
constexpr std::uint64_t kAlwaysAllowedCounts = std::uint64_t{1} << 18;

// Whether the recording has waits of which a reader made nothing, for it shows the samples alone.
bool has_plain_waits(const perfdata::Description& recording) {
  return std::ranges::any_of(recording.events, &perfdata::RecordedEvent::tells_switches) &&
         std::ranges::none_of(recording.events, &perfdata::RecordedEvent::lengths);
}

bool tells_of_waits(const perfdata::RecordedEvent& event) {
  return perfdata::is_of_switches(event) || event.name.starts_with("sched:sched_waking") ||
         (perfdata::is_dummy(event) && event.tells_switches);
}

}  // namespace

std::uint64_t SampledEvent::occurred(const SampleCount& part) const {
  if (!counted) return part.sum;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(part.sum) * scale));
}

double SampledEvent::interval_ns() const {
  if (!clock || count.samples == 0) return 0;
  return static_cast<double>(occurred(count)) / static_cast<double>(count.samples);
}

Result<std::size_t> choose_event(std::string_view name, const Profile& profile,
                                 const perfdata::Description& recording) {
  const std::vector<SampledEvent> events = sampled_events(profile, recording);
  // What a reader made of the events is what its user asked for.
  if (name.empty() && !recording.sums.empty())
    for (const SampledEvent& event : events)
      if (event.name == recording.sums.front().name && event.count.samples > 0) return event.number;
  if (!name.empty()) {
    std::vector<std::string> names;
    for (const SampledEvent& event : events) names.push_back(event.name);
    return named_event(name, names);
  }
  const auto most = std::ranges::max_element(events, {}, [](const SampledEvent& event) {
    return event.of_waits ? 0 : event.count.samples;
  });
  if (most == events.end() || most->of_waits || most->count.samples == 0)
    return has_plain_waits(recording) ? failure("the recording has no samples of running threads",
                                                "show where its threads waited: --off-cpu")
                                      : failure("the recording has no samples", "");
  return static_cast<std::size_t>(most - events.begin());
}

std::vector<SampledEvent> sampled_events(const Profile& profile,
                                         const perfdata::Description& recording) {
  const bool plain_waits = has_plain_waits(recording);
  std::vector<SampledEvent> events;
  for (std::size_t i = 0; i < std::max(recording.events.size(), profile.events()); ++i) {
    SampledEvent event{.name = fmt::format("event {}", i + 1),
                       .count = profile.total(i),
                       .exact = profile.exact_samples(i),
                       .unsampled = profile.unsampled(i),
                       .counted = profile.counted(i),
                       .scale = profile.scale(i),
                       .not_ended = profile.not_ended(i),
                       .number = i};
    if (i < recording.events.size()) {
      const perfdata::RecordedEvent& recorded = recording.events[i];
      if (!recorded.name.empty()) event.name = recorded.name;
      event.period = recorded.period;
      event.frequency = recorded.frequency;
      event.clock = perfdata::is_clock(recorded) || recorded.lengths;
      event.lengths = recorded.lengths;
      event.dummy = perfdata::is_dummy(recorded);
      event.of_waits = plain_waits && tells_of_waits(recorded);
    } else if (const perfdata::EventSum* sum = profile.sum(i)) {
      event.name = sum->name;
      event.parts = sum->parts;
      const auto part_of = [&](std::size_t part) -> const SampledEvent& { return events[part]; };
      event.clock = std::ranges::all_of(sum->parts, &SampledEvent::clock, part_of);
      event.lengths = std::ranges::any_of(sum->parts, &SampledEvent::lengths, part_of);
    }
    events.push_back(std::move(event));
  }
  return events;
}

std::string ReportedEvents::warning() const {
  if (left_out == 0) return {};
  return fmt::format(
      "the counts of {} left out: those that are shown have more samples; --event "
      "NAME shows another one",
      plural(left_out, "event", {}));
}

ReportedEvents reported_events(const Profile& profile, const perfdata::Description& recording,
                               std::size_t event, std::size_t rows) {
  std::vector<SampledEvent> all = sampled_events(profile, recording);
  std::uint64_t samples = 0;
  for (const SampledEvent& each : all) samples += each.parts.empty() ? each.count.samples : 0;
  const std::uint64_t allowed = (kAlwaysAllowedCounts + samples) / std::max<std::uint64_t>(rows, 1);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i == event || !all[i].of_waits) order.push_back(i);
  const auto most = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(allowed, 1, std::max<std::size_t>(order.size(), 1)));
  if (all.size() <= most) return {std::move(all), event};
  // A sum would say less than its parts.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::tuple(i != event, !all[i].parts.empty(), ~all[i].count.samples);
  });
  ReportedEvents made;
  made.of_waits = all.size() - order.size();
  made.left_out = order.size() - most;
  order.resize(most);
  std::ranges::sort(order);
  std::vector<std::optional<std::size_t>> index(all.size());
  for (const std::size_t i : order) {
    if (i == event) made.event = made.events.size();
    index[i] = made.events.size();
    made.events.push_back(std::move(all[i]));
  }
  for (SampledEvent& each : made.events) {
    std::erase_if(each.parts, [&](std::size_t part) { return !index[part]; });
    for (std::size_t& part : each.parts) part = *index[part];
  }
  return made;
}

}  // namespace tacho
