// The report at the end of the program, if the environment asks for one.
#pragma once

#include <string_view>

#include "tacho/error.hpp"

namespace tacho::caliper {

// Says on standard error what is wrong with a variable, and what happens instead.
void say_wrong(std::string_view variable, std::string_view value, const Error& error,
               std::string_view instead);

// Reads the environment, and says what is wrong with it. Only the first call does, when the first
// region becomes known: the program may change its environment before and after.
void read_variables();

// Whether TACHO_REGIONS asks for a trace. Call it after read_variables().
bool asks_for_trace() noexcept;

}  // namespace tacho::caliper
