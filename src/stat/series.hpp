// The series file: each period is written as it ends, in a line of its own. So the file of a killed
// run is readable up to its last line. All later figures can be computed from the lines.
//
// JSON lines: the first is {"tacho": …, "command", "machine", "reference", "period_ms", "sets",
// "events"}; a line for each period follows; the last is {"end": …}. A period's "counts" are those
// of the events whose "set" is the period's, in "slot" order. Its "always" are those of the events
// with "duty": "always", in slot order. Where a simulation knows all counts, the counts of the
// turned events follow: an event's "truth" is its slot there. Counts are raw: multiply by the
// event's "scale" for its "unit". Times are those of the run; they are simulated if "pmu_kind" is
// "simulated".
//
// CSV: the first and the last of those objects as comments ("# {…}"), the header row, and a row for
// each event and period. Events that are always counted have an empty set, enabled_ns and
// running_ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stats/measurement.hpp"

namespace tacho {

enum class SeriesFormat { json, csv };

// CSV when the file's name ends in ".csv", else JSON lines.
SeriesFormat series_format(std::string_view path);

// The first line or lines. The text of each function ends in a newline. All functions here are
// thread-safe.
std::string series_header(const Measurement&, std::string_view version, SeriesFormat);

// One period. `always` (by slot) and `reference_total` count from the end of the last period to the
// end of this one. So they include the gap between the two, and their sums over all lines are the
// totals. If no sets take turns, `period.set` and `period.counts` are left out.
std::string series_period(const Measurement&, const Period& period, std::size_t index,
                          std::span<const std::uint64_t> always, std::uint64_t reference_total,
                          SeriesFormat);

// The end of the run, and the totals.
std::string series_end(const Measurement&, SeriesFormat);

}  // namespace tacho
