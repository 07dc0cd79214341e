// estimate: what a Measurement says. summarise() gives one estimate an event, the metrics and the
// warnings, for one run or for repeated runs (docs/explanation/statistics.md).
#pragma once

#include <span>

#include "estimate/summary.hpp"
#include "events/metric.hpp"
#include "stats/measurement.hpp"

namespace tacho {

// Scales the events that took turns to the whole run by the ratio estimator (W. G. Cochran,
// Sampling Techniques, 3rd ed., ch. 6), with 95 % intervals from successive differences. Evaluates
// the metrics on the estimates, in the events' units, with jackknife intervals (stats/ratio.hpp).
// A name in a formula means the event of exactly that name. If there is none, it means the only
// event whose name is the same without its modifiers (`instructions:u` for `instructions`). A
// metric is left out if one of its events was not asked for. The warnings include those of the
// Measurement.
Summary summarise(const Measurement&, std::span<const Metric> metrics);

// The same for repeated runs: means over the runs, Student's t intervals of these means (so ci95 is
// not 0 for a counted event), minima, and the number of periods of all runs. `runs` is not empty,
// and all runs counted the same events.
Summary summarise_repeats(std::span<const Measurement> runs, std::span<const Metric> metrics);

// Writes into `usage` the mean user and system time of the runs, and the most memory that one of
// them used. `runs` is not empty; `usage` may belong to one of them.
void average_usage(std::span<const Measurement> runs, Workload& usage);

}  // namespace tacho
