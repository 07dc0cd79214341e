// A command as one types it in a shell.
#pragma once

#include <span>
#include <string>

namespace tacho {

// The words with blanks between them. A word that a shell would change is in quotes: 'a b', '$x',
// ''. POSIX Shell Command Language, 2.2.
std::string shell_line(std::span<const std::string> words);

}  // namespace tacho
