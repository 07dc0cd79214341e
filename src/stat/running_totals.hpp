// Adds up the intervals of -I, so that a monitoring system reads counters that only grow.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "estimate/summary.hpp"

namespace tacho {

// The figures since the start of a run, or of a part of it.
struct Totals {
  // An event that could not be counted in the last interval is absent. The metrics and warnings are
  // those of the last interval.
  Summary summary;
  std::vector<double> counted_s;  // by event: the time for which it was counted
};

// The totals of a run without intervals.
Totals whole_totals(Summary summary, double counting_s);

// The sum of an event has an interval as long as every summand has one. What is independent adds up
// in squares. What one interval shares with the next (EventSummary::shared95) adds up as it is: how
// it is correlated is not known, and this is the largest that it can be.
class RunningTotals {
 public:
  // The summary of the next interval, in which counting was on for `counting_s` seconds.
  void add(const Summary& interval, double counting_s);

  const Totals& totals() const { return totals_; }

 private:
  struct Sum {
    EventSummary event;
    double counted_s = 0;
    double squares = 0;  // of the independent half-widths
    bool has_interval = true;
  };

  std::map<std::string, Sum> sums_;  // by name
  Totals totals_;
};

}  // namespace tacho
