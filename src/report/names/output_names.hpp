// The placeholders in the names of the files that `tacho stat` and `tacho record` write, so that
// the ranks of a parallel program write a file each.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// A file name in which %h is the host, %p the process ID of tacho, %r the rank ("none" without a
// launcher that says it), %q{NAME} an environment variable and %% a %. A % before any other
// character than a letter stays. Errors: a letter without a meaning, because a name that was meant
// to differ between the ranks would be one file for all; a variable that is not set.
Result<std::string> filled_in_name(std::string_view name);

}  // namespace tacho
