// The terms between an event's slashes that belong to no PMU's format, such as name=TEXT and
// period=N (perf-record(1), "event parameters").
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "events/event.hpp"

namespace tacho {

// Applies the term `key=value` to the event. Returns false if `key` is none of these terms. Errors
// name `spec`. It is an error if perf has a term of this name that tacho does not support.
Result<bool> apply_general_term(std::string_view key, std::string_view value, std::string_view spec,
                                Event& event);

// Applies terms such as "name=foo,period=1000" to an event that has no terms of a PMU.
Result<void> apply_general_terms(std::string_view terms, std::string_view spec, Event& event);

}  // namespace tacho
