// Finds options that a user wrote behind the command, and meant for tacho.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

namespace tacho {

// An option of the subcommand with its value, such as "-e task-clock", among the arguments of the
// command; empty if there is none. Only options are found whose value shows that tacho was meant:
// a generic event or a kind of PMU. Commands have options of the same names, so all others would
// be guesses.
std::string misplaced_option(const CLI::App& subcommand, std::span<const std::string> command);

}  // namespace tacho
