// The command that a recording is of.
#pragma once

#include <span>
#include <string>

namespace tacho {

// The recorder's words without the recorder: what follows "--", if it is there. As one types it in
// a shell; "a recording" if there are no words.
std::string recorded_command(std::span<const std::string> words);

}  // namespace tacho
