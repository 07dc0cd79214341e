#include "profile/lost_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.hpp"

namespace tacho {
namespace {

// Samples come faster than the asked rate for a while: the kernel looks for the period, and tacho
// draws periods down to a half of it.
constexpr double kAboveRate = 2;

}  // namespace

std::optional<std::uint64_t> most_lost_samples(const perfdata::Description& recording,
                                               std::uint64_t lost, std::uint64_t samples,
                                               double seconds) {
  double rate = 0;  // samples a second on one CPU
  for (const perfdata::RecordedEvent& event : recording.events) {
    if (event.frequency == 0 && event.period > 0) return std::nullopt;
    rate += static_cast<double>(event.frequency);
  }
  if (rate == 0 || !recording.cpus_online) return std::nullopt;
  const double most = kAboveRate * rate * seconds * *recording.cpus_online;
  const double left = most - static_cast<double>(samples);
  if (left >= static_cast<double>(lost)) return lost;
  return static_cast<std::uint64_t>(std::max(left, 0.0));
}

std::string lost_records_warning(std::uint64_t lost, std::optional<std::uint64_t> most_samples) {
  if (most_samples && *most_samples < lost / 2)
    return fmt::format(
        "lost while recording: {}, of which at most {} were samples. The others said what was "
        "mapped, named or started, so functions may have no name, or that of older code",
        plural(lost, "record", {}), *most_samples);
  return fmt::format(
      "lost while recording: {}. Shares are of the rest, and functions of what was mapped "
      "meanwhile may have no name",
      plural(lost, "record", {}));
}

}  // namespace tacho
