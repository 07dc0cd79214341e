// Runs a program with an input and returns its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Returns the program's standard output. It is an error if the program does not end with status 0
// within the time, or prints more than `most` bytes; a program that still runs is killed. The
// program reads `input` from its standard input. Its standard error is discarded. The error's code
// is ENOENT if there is no such program.
Result<std::string> run_for_output(std::span<const std::string> argv, std::string_view input,
                                   std::chrono::milliseconds time, std::size_t most);

}  // namespace tacho
