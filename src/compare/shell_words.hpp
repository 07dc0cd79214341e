// Splits a command that is given as one text into words, as a shell does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// Words are separated by blanks. 'single' and "double" quotes and \ work as in POSIX shells (Shell
// Command Language, 2.2). No shell runs the words, so a pipe, a redirection, a variable or a
// pattern would be passed on as text: outside of quotes it is an error, as are an unfinished quote
// and a text without words.
Result<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace tacho
