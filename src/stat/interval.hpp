// The output of `tacho stat -I MS`: the counts of each interval as it ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "stat/report.hpp"

namespace tacho {

// A StatReport here is of one interval alone, and `time_s` is its end, since the workload's start.
// If it has parts, the lines are theirs; JSON has the whole, too. Each text ends in a newline (or
// is empty) and can be printed as it is.

// How text shows intervals: a line for each, with a column for each figure, if they fit; else a
// line for each figure. Chosen once, so later lines stand below the first one.
struct IntervalLayout {
  struct Column {
    std::string name;
    bool is_metric = false;
    std::size_t width = 0;
  };
  std::vector<Column> columns;  // empty: a line for each figure
  std::size_t label_width = 0;  // of the parts' names; 0: no parts
};
IntervalLayout layout_of(const StatReport& first, const NumberStyle&, std::size_t columns);

// Before the first interval: what is not available at all, and the columns.
std::string interval_start_text(const StatReport& first, const IntervalLayout&,
                                std::size_t columns);
// The number of events that are not available in this interval, nor later, and their names. They
// can become more during a run (process/taken_events.hpp).
std::size_t lasting_absences(const StatReport&);
std::string absences_text(const StatReport&, std::size_t columns);
// A figure that only this interval lacks is "-".
std::string interval_text(double time_s, const StatReport&, const IntervalLayout&,
                          const NumberStyle&);

// One object a line: {"interval": seconds, "events": […], "metrics": […], "warnings": […],
// "parts": […]}, the items as in schema 1. Events that are not available are in each line, with
// null.
std::string interval_json(double time_s, const StatReport&);

// The header row; then a row for each event and metric. A metric's value is in `estimate`.
std::string interval_start_csv();
std::string interval_csv(double time_s, const StatReport&);

}  // namespace tacho
