// Metrics of a part of a profile, a row or a line or an instruction, from the events that were
// sampled beside each other.
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

namespace tacho {

// Fewer samples than this of an event make no interval of a metric: the normal approximation
// behind it needs them.
inline constexpr std::uint64_t kFewestSamples = 10;

struct RowMetric {
  std::string name, unit;
  std::optional<double> value;  // none: some event has fewer than kFewestSamples here
  double ci95 = 0;              // half-width
};

// Of the metrics, which must outlive this as the profile must, those whose events were all sampled,
// and of the same modes, under these names.
class RowMetrics {
 public:
  RowMetrics(std::span<const Metric>, std::span<const std::string> names, const Profile&);
  std::vector<RowMetric> of(std::span<const SampleCount> counts) const;  // by event

 private:
  const Profile* profile_;
  std::vector<std::pair<const Metric*, std::vector<std::size_t>>> possible_;
};

}  // namespace tacho
