// Finds out what Valgrind refuses to run, before anything runs.
#pragma once

#include <string>

#include "base/result.hpp"

namespace tacho {

// Returns an error if Valgrind can't run the program with this name: for another processor, with
// more rights than its user, or too large. Looks at the interpreter of a script, too. `library` is
// the directory with tacho's tools for Valgrind. Programs that are missing are no error here.
// `directory` is the program's working directory, if it is not tacho's.
Result<void> check_runs_on_valgrind(const std::string& name, const std::string& library,
                                    const std::string& directory = {});

}  // namespace tacho
