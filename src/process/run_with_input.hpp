// Runs a program that reads its instructions from its standard input.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// Returns a file in memory with these bytes, positioned at its start: the standard input of another
// program. Unlike for a pipe, nobody has to read while it is written, and there is no SIGPIPE if
// the program stops reading.
Result<Fd> memory_file(std::string_view bytes);

// Runs the program with `input` as its standard input and waits for its end. Its standard output is
// discarded; its standard error is that of this process. Its signals are as a shell would set them.
// It is an error if the program cannot be run (code ENOENT: there is no such program), or if its
// status is not 0.
Result<void> run_with_input(std::span<const std::string> argv, std::string_view input);

}  // namespace tacho
