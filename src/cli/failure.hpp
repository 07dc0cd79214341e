// What ends a subcommand: the error said, and the exit status for it.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"

namespace tacho {

// Says the error; the status.
inline int fail(const Error& error, int status = kOwnFailure) {
  say_error(error);
  return status;
}

// Says it on standard output; the status, which is another one when that takes nothing.
int answer(std::string_view text);

// 127 and 126, as shells have it, when a launch failed because there is no such command or it
// can't be run; else 125.
int exit_status_of_launch(int code);

}  // namespace tacho
