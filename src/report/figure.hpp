// A figure and its uncertainty, written with the digits that the interval justifies.
//
// All reports write a 95 % interval by one rule:
// - "± 1.2 %" is the half-width in per cent of the figure;
// - "± 0.03" is the half-width in the unit of the figure: of metrics, regions, and times in cycles;
// - "(57…126)" are the two ends: of percentages, where "± 3 %" would be in doubt, and of every
//   interval with a half-width above 30 % of the figure, because such an interval is not symmetric.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "stats/share.hpp"

namespace tacho {

// One number as text reports show it. All fields are empty if there is no number.
struct Figure {
  std::string value;   // "24,060", "~24,060" when it is an estimate
  std::string unit;    // "ms", or empty
  std::string spread;  // the 95 % interval: "± 1.2 %", "± 0.02", "(57…126)"; or empty
};

// Clocks (unit "ns") are shown in ms. `repeated`: the figure is a mean over runs.
Figure figure_of(const EventSummary&, bool repeated, const NumberStyle&);

// The same with an interval that has ends of its own, in the unit of the event. `ci95` of the event
// is then its larger side.
Figure figure_of(const EventSummary&, const IntervalEnds&, bool repeated, const NumberStyle&);

// The unit is "%" or empty.
Figure figure_of(const MetricSummary&, const NumberStyle&);

// The interval of a positive figure beside it: "± 1.2 %", "(57…126)".
std::string spread(double value, double half_width, const NumberStyle&);

// value per second with an SI prefix, and its interval unless that is 0 or unknown: "19.5 k/s",
// "20 k/s ± 4 %". Both are in 1/s.
std::string rate(double per_second, const std::optional<double>& half_width, const NumberStyle&);

// A number of CPUs with its interval, unless that is 0 or unknown: "0.960 CPUs used",
// "0.96 CPUs used ± 3 %".
std::string used(double cpus, const std::optional<double>& half_width, std::string_view unit,
                 const NumberStyle&);

// A part of the whole in per cent with three digits: "25.1 %", "100 %".
std::string percentage(double part, const NumberStyle&);

// A share in per cent with one decimal: "12.3 %".
std::string percent(double share, const NumberStyle&);

// The interval of a share in per cent: "10.1…14.9 %".
std::string range(const ShareInterval&, const NumberStyle&);

// Seconds down to the microsecond, with fewer decimals the longer they are: "0.0012 s" "12.345 s".
std::string seconds(double value, const NumberStyle&);

}  // namespace tacho
