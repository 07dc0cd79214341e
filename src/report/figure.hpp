// A figure and its uncertainty, written with the digits that the interval justifies.
#pragma once

#include <string>

#include "base/number.hpp"
#include "estimate/summary.hpp"
#include "stats/share.hpp"

namespace tacho {

// One number as text reports show it. All fields are empty if there is no number.
struct Figure {
  std::string value;   // "24,060", "~24,060" when it is an estimate
  std::string unit;    // "ms", or empty
  std::string spread;  // the half-width of the 95 % interval: "± 1.2 %", "± 0.02"; or empty
};

// Clocks (unit "ns") are shown in ms. The spread of an event is relative, unless the interval is
// ten times the figure or more. `repeated`: the figure is a mean over runs.
Figure figure_of(const EventSummary&, bool repeated, const NumberStyle&);

// The spread of a metric is absolute and carries the unit. The unit is "%" if there is no spread,
// else empty.
Figure figure_of(const MetricSummary&, const NumberStyle&);

// A half-width beside its figure: "± 1.2 %"; absolute when it is ten times the figure or more.
std::string spread(double value, double half_width, const NumberStyle&);

// value per second with an SI prefix: "19.5 k/s". `relative_ci95` limits the digits.
std::string rate(double per_second, double relative_ci95, const NumberStyle&);

// A part of the whole in per cent with three digits: "25.1 %", "100 %".
std::string percentage(double part, const NumberStyle&);

// A share in per cent with one decimal: "12.3 %".
std::string percent(double share, const NumberStyle&);

// The interval of a share in per cent: "10.1…14.9 %".
std::string range(const ShareInterval&, const NumberStyle&);

// Seconds down to the microsecond, with fewer decimals the longer they are: "0.0012 s" "12.345 s".
std::string seconds(double value, const NumberStyle&);

}  // namespace tacho
