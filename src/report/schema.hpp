// The pieces of schema 1 that the report, the intervals and the series share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "estimate/summary.hpp"
#include "stats/difference.hpp"
#include "stats/measurement.hpp"

namespace tacho {

using Json = nlohmann::ordered_json;

// The estimate as programs read it: one of a plain count or a clock is rounded to a whole number.
std::optional<double> estimate_of(const EventSummary&);

// null when there is no value or it is not finite; an integer when it is whole.
Json json_number(const std::optional<double>&);
Json json_text(const std::string&);  // null when it is empty
Json json_estimated(const Estimated&);
Json json_events(const Summary&);
Json json_metrics(const Summary&);
Json json_exit(const Workload&);  // {"code", "signal"}, one of them null
Json json_list(const std::vector<std::string>&);

// One line or an indented text (indent >= 0), always valid UTF-8 and ending in a newline.
std::string written(const Json&, int indent = -1);

// Exactly the number, in the C locale; empty when there is none or it is not finite.
std::string csv_number(const std::optional<double>&);

// On one line, its control characters and bytes that are no UTF-8 escaped (printable()); quoted as
// RFC 4180 asks where that is needed.
std::string csv_field(std::string_view);

}  // namespace tacho
