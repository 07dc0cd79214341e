// `tacho stat -x SEP` and `-j`: the lines that perf stat prints with these options, for scripts
// that read them. tacho's own formats (--csv, --json) have intervals and reasons, too.
//
// The fields of -x: [time,] [part, [CPUs,]] count, unit, event, [control group,] [spread,]
// running time in ns, percentage of the time with a counter, metric, its unit. A count is
// `<not supported>` where this machine has no such event, and `<not counted>` where it was not
// counted. -j has an object a line, with perf's keys.
#pragma once

#include <optional>
#include <string>

#include "stat/report.hpp"

namespace tacho {

struct PerfLines {
  std::string separator;  // of -x; empty: JSON (-j)
};

// The lines of a report, or of an interval that ended `time_s` seconds after the start. A report
// with parts has lines of these alone. `metrics`: also a line for each metric. The spread of
// repeats is the standard error that the 95 % interval stands for, in per cent of the mean.
std::string perf_lines(const StatReport&, const PerfLines&, std::optional<double> time_s,
                       bool metrics);

// A warning if an event's name has the separator in it, so that its line has too many fields.
std::optional<std::string> warning_of_separator(const StatReport&, const PerfLines&);

}  // namespace tacho
