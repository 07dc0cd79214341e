// Lists the files that the name of a program may mean.
#pragma once

#include <string>
#include <vector>

namespace tacho {

// Returns these files in the order of execvp(3): the name itself if it has a slash, else a file in
// each directory of PATH.
std::vector<std::string> program_files(const std::string& name);

}  // namespace tacho
