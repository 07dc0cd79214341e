#include "profile/sampled_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "locate/recording_input.hpp"

namespace tacho {

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
  if (!name.empty()) {
    std::vector<std::string> names;
    for (const SampledEvent& event : events) names.push_back(event.name);
    return named_event(name, names);
  }
  const auto most = std::ranges::max_element(
      events, {}, [](const SampledEvent& event) { return event.count.samples; });
  if (most == events.end() || most->count.samples == 0)
    return failure("the recording has no samples");
  return static_cast<std::size_t>(most - events.begin());
}

std::vector<SampledEvent> sampled_events(const Profile& profile,
                                         const perfdata::Description& recording) {
  std::vector<SampledEvent> events;
  for (std::size_t i = 0; i < std::max(recording.events.size(), profile.events()); ++i) {
    SampledEvent event{.name = fmt::format("event {}", i + 1),
                       .count = profile.total(i),
                       .exact = profile.exact_samples(i),
                       .unsampled = profile.unsampled(i),
                       .counted = profile.counted(i),
                       .scale = profile.scale(i),
                       .not_ended = profile.not_ended(i)};
    if (i < recording.events.size()) {
      const perfdata::RecordedEvent& recorded = recording.events[i];
      if (!recorded.name.empty()) event.name = recorded.name;
      event.period = recorded.period;
      event.frequency = recorded.frequency;
      event.clock = perfdata::is_clock(recorded);
    } else if (const CoreTypeSum* sum = profile.sum(i)) {
      event.name = sum->name;
      event.parts = sum->parts;
    }
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace tacho
