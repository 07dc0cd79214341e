// Where a program is looked for.
#pragma once

#include <string>
#include <vector>

namespace tacho {

// The files that a program's name may mean, in execvp's order: the name itself where it has a
// slash, else one in each directory of PATH.
std::vector<std::string> program_files(const std::string& name);

}  // namespace tacho
