// What is wrong with the words of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.hpp"

namespace tacho {

// What CLI11 refused, in tacho's words, of the program or subcommand that was asked. `help` is the
// remedy where there is none better.
Error usage_error(const CLI::App& asked, const CLI::ParseError&, std::string help);

}  // namespace tacho
