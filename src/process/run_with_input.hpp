// Runs a program that reads what to do from its standard input.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

// What another program is to read from its standard input, at its start. Unlike a pipe, nobody has
// to read it while it is written, and no SIGPIPE comes from one that reads no more.
Result<Fd> memory_file(std::string_view bytes);

// Gives it all of `input` and waits for its end. Its standard output is thrown away, its
// standard error is this process's. Signals reach it as they would a program started by a shell. An
// error when it can't be run (code ENOENT: there is no such program), or ends with any status but
// 0.
Result<void> run_with_input(std::span<const std::string> argv, std::string_view input);

}  // namespace tacho
