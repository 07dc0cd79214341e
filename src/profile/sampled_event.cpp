#include "profile/sampled_event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "locate/recording_input.hpp"

namespace tacho {

Result<std::size_t> choose_event(std::string_view name, const Profile& profile,
                                 const perfdata::Description& recording) {
  if (!name.empty()) return named_event(name, recording);
  for (std::size_t i = 0; i < profile.events(); ++i)
    if (profile.total(i).samples > 0) return i;
  return failure("the recording has no samples");
}

std::vector<SampledEvent> sampled_events(const Profile& profile,
                                         const perfdata::Description& recording) {
  std::vector<SampledEvent> events;
  for (std::size_t i = 0; i < std::max(recording.events.size(), profile.events()); ++i) {
    SampledEvent event{.name = fmt::format("event {}", i + 1),
                       .count = profile.total(i),
                       .exact = profile.exact_samples(i),
                       .unsampled = profile.unsampled(i)};
    if (i < recording.events.size()) {
      const perfdata::RecordedEvent& recorded = recording.events[i];
      if (!recorded.name.empty()) event.name = recorded.name;
      event.period = recorded.period;
      event.frequency = recorded.frequency;
      event.clock = perfdata::is_clock(recorded);
    }
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace tacho
