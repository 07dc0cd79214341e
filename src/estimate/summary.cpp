#include "estimate/summary.hpp"

namespace tacho {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::counted:
      return "counted";
    case Status::simulated:
      return "simulated";
    case Status::estimated:
      return "estimated";
    case Status::unsupported:
      return "unsupported";
    case Status::failed:
      break;
  }
  return "failed";
}

std::optional<IntervalEnds> ends95(const EventSummary& event) {
  if (!event.estimate || !event.ci95) return std::nullopt;
  return positive_ends95(*event.estimate, *event.ci95);
}

std::optional<IntervalEnds> ends95(const MetricSummary& metric) {
  if (!metric.value || !metric.ci95) return std::nullopt;
  if (metric.may_be_negative)
    return IntervalEnds{*metric.value - *metric.ci95, *metric.value + *metric.ci95};
  return positive_ends95(*metric.value, *metric.ci95);
}

}  // namespace tacho
