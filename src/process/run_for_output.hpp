// Runs a program for what it says of an input.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Its standard output, when it ends with status 0 within the time and says no more than `most`
// bytes; else an error, and it is killed where it still runs. It reads `input` from its standard
// input; its standard error is thrown away. Code ENOENT: there is no such program.
Result<std::string> run_for_output(std::span<const std::string> argv, std::string_view input,
                                   std::chrono::milliseconds time, std::size_t most);

}  // namespace tacho
