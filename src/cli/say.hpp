// What tacho says to the user on stderr about itself.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "report/notices.hpp"

namespace tacho {

// "tacho: error: what" and, on a line of its own, the remedy.
void say_error(const Error& error);
void say_line(std::string_view text);
void say_warning(std::string_view text);
void say_warnings(std::span<const std::string> texts);

// The three above, for what a tool says while it works.
Notices notices();

// Progress on one line that the next one overwrites; nothing when stderr is no terminal. An empty
// text clears the line.
void say_progress(std::string_view text);

// The progress of a simulation, as a line of its own; nothing when stderr is no terminal.
void say_simulated(std::chrono::nanoseconds simulated, std::chrono::seconds real);

}  // namespace tacho
