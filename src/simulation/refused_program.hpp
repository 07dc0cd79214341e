// Finds out which program the simulator cannot run, before anything runs.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "simulation/emulator.hpp"

namespace tacho {

// Returns nothing if Valgrind runs the program with this name, or the emulator that runs it.
// Returns an error if neither can: it is for another processor, has more rights than its user, or
// is too large. Looks at the interpreter of a script, too. `library` is the directory with tacho's
// simulator. Programs that are missing are no error here. `directory` is the program's working
// directory, if it is not tacho's.
Result<std::optional<Emulator>> check_runs(const std::string& name, const std::string& library,
                                           const std::string& directory = {});

// The same for a program that will also run without the simulator.
Result<void> check_runs_natively_too(const std::string& name, const std::string& library);

}  // namespace tacho
