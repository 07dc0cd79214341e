// The series file: every period as it happened, a line at a time, so that a run that is killed
// leaves a file readable up to its last line. All later figures can be recomputed from the lines.
//
// JSON lines: first {"tacho": …, "command", "machine", "reference", "period_ms", "sets", "events"},
// then a line a period, last {"end": …}. A period's "counts" are those of the events whose "set" is
// the period's, in "slot" order; its "always" are those of the events with "duty": "always", in
// slot order, and behind them, where a simulation knows all, those of the turned events: an event's
// "truth" is its slot there. Counts are raw: multiply by the event's "scale" for its "unit". Times
// are those of the run: simulated ones when "pmu_kind" is "simulated".
//
// CSV: the first and the last of those objects as comments ("# {…}"), the header row, and a row an
// event a period; rows of events that are always counted have an empty set, enabled_ns and
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

// The first line or lines; each function's text ends in a newline. Thread-safe, like all here.
std::string series_header(const Measurement&, std::string_view version, SeriesFormat);

// One period. `always` (by slot) and `reference_total` count from the end of the period before to
// the end of this one, so they include the gap between the two: their sums over all lines are the
// totals. Without turning, `period.set` and `period.counts` mean nothing and are left out.
std::string series_period(const Measurement&, const Period& period, std::size_t index,
                          std::span<const std::uint64_t> always, std::uint64_t reference_total,
                          SeriesFormat);

// How the run ended, and the totals.
std::string series_end(const Measurement&, SeriesFormat);

}  // namespace tacho
