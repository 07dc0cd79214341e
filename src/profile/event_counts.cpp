// How often events occurred: what their counters had at the end of the recording, or else what the
// samples stand for.
#include "profile/profile.hpp"

namespace tacho {

// The counter of a clock also has the time in the mode that is not sampled.
void Profile::take_counts(const perfdata::Description& recording) {
  if (recording.counted.size() != recording.events.size()) return;
  counted_ = recording.counted;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    const perfdata::RecordedEvent& event = recording.events[i];
    if (perfdata::is_clock(event) && (event.exclude_kernel || event.exclude_user))
      counted_[i].reset();
  }
}

perfdata::OptionalU64 Profile::counted(std::size_t event) const {
  const perfdata::EventSum* const of = sum(event);
  if (of == nullptr) {
    const bool known = event < counted_.size() && event < recorded_.size() && !is_exact(event);
    return known && recorded_[event] > 0 ? counted_[event] : std::nullopt;
  }
  std::uint64_t all = 0;
  for (const std::size_t part : of->parts) {
    const perfdata::OptionalU64 count = counted(part);
    if (!count) return {};
    all += *count;
  }
  return all;
}

std::uint64_t Profile::not_ended(std::size_t event) const {
  std::uint64_t sum = 0;
  if (event >= last_periods_.size() || counted(event)) return sum;
  for (const auto& [tid, period] : last_periods_[event]) sum += period;
  return sum;
}

double Profile::scale(std::size_t event) const {
  const perfdata::OptionalU64 count = counted(event);
  if (!count) return 1;
  double all = 0;
  if (const perfdata::EventSum* const of = sum(event))
    for (const std::size_t part : of->parts) all += static_cast<double>(recorded_[part]);
  else
    all = static_cast<double>(recorded_[event]);
  return static_cast<double>(*count) / all;
}

CountInterval Profile::count95(std::size_t event, const SampleCount& part, double changes) const {
  const SampleCount whole = total(event);
  const auto sum = static_cast<double>(part.sum);
  if (is_exact(event)) return {.low = sum, .high = sum};  // without the rounding of the share
  const double missed = counted(event) ? 0 : unsampled(event).missed;
  const double all = static_cast<double>(whole.sum) * scale(event) + missed;
  const ShareInterval share = share95(event, part, whole, changes);
  return {.low = share.low * (all - static_cast<double>(not_ended(event))),
          .high = share.high * all};
}

}  // namespace tacho
