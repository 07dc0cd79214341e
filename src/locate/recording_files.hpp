// The files that a user means by the names of recordings.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacho {

// The names with patterns (perf.data.*) expanded, as a shell does it. A name that is a file, or
// that no file fits, stays as it is.
std::vector<std::string> recording_files(std::span<const std::string> names);

// The same for runs before and after a change, if there are any after it: each file is then a run
// of its own, and not a piece of one.
void expand_runs(std::vector<std::string>& before, std::vector<std::string>& after);

}  // namespace tacho
