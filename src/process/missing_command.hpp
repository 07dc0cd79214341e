// What a user may have meant by a command that is not there.
#pragma once

#include <span>
#include <string>

namespace tacho {

// The remedy for words whose first one names no program: a command of the shell itself, a whole
// command line in one word, a variable, or a misspelt name. `words` is not empty.
std::string remedy_of_missing_command(std::span<const std::string> words);

}  // namespace tacho
