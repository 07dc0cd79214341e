// Metrics of a part of a profile (a row, a line or an instruction), from events that were sampled
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "events/metric.hpp"
#include "profile/profile.hpp"
#include "profile/sampled_event.hpp"

namespace tacho {

// A metric has no interval if an event has fewer samples than this: the normal approximation would
// not hold.
inline constexpr std::uint64_t kFewestSamples = 10;

struct RowMetric {
  std::string name, unit;
  std::optional<double> value;   // none: some event has fewer than kFewestSamples here
  double ci95 = 0;               // half-width
  bool may_be_negative = false;  // its formula subtracts
};

// The metrics whose events were all sampled, and in the same modes. Metrics and profile must
// outlive this.
class RowMetrics {
 public:
  RowMetrics(std::span<const Metric>, std::span<const SampledEvent> events, const Profile&);
  std::vector<RowMetric> of(std::span<const SampleCount> counts) const;  // by event

 private:
  const Profile* profile_;
  std::vector<std::size_t> numbers_;  // of the events in the profile
  std::vector<std::pair<const Metric*, std::vector<std::size_t>>> possible_;
};

}  // namespace tacho
