// Values of schema 1 as JSON and as CSV fields, for all reports.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "estimate/summary.hpp"
#include "stats/difference.hpp"
#include "stats/interval_ends.hpp"
#include "stats/measurement.hpp"

namespace tacho {

using Json = nlohmann::ordered_json;

// The estimate as programs read it. The estimate of a plain count or a clock is a whole number.
std::optional<double> estimate_of(const EventSummary&);

// The ends of its interval as programs read them. They contain the rounded estimate.
std::optional<IntervalEnds> ends_of(const EventSummary&);

// One end of an interval; none if there is no interval.
std::optional<double> low_of(const std::optional<IntervalEnds>&);
std::optional<double> high_of(const std::optional<IntervalEnds>&);

// null if there is no value or it is not finite; an integer if it is whole.
Json json_number(const std::optional<double>&);
Json json_text(const std::string&);  // null when it is empty
Json json_estimated(const Estimated&);
Json json_events(const Summary&);
Json json_metrics(const Summary&);
Json json_exit(const Workload&);  // {"code", "signal"}, one of them null
Json json_list(const std::vector<std::string>&);

// One line or an indented text (indent >= 0), always valid UTF-8 and ending in a newline. Invisible
// characters are spelled (json_spelled()).
std::string written(const Json&, int indent = -1);

// The number with all its digits, in the C locale; empty if there is none or it is not finite.
std::string csv_number(const std::optional<double>&);

// The text on one line, as csv_cell() spells and quotes it.
std::string csv_field(std::string_view);

}  // namespace tacho
