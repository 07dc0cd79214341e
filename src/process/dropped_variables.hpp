// The variables that libc removes from the environment of a program with privileges.
#pragma once

#include <vector>

namespace tacho {

// Returns the NAME=VALUEs with which this program was started and which its environment lacks, such
// as LD_LIBRARY_PATH and TMPDIR: ld.so(8) has the list. Empty without privileges. A workload has no
// privileges and gets them back. The texts stay valid as long as the program runs.
std::vector<char*> dropped_variables();

}  // namespace tacho
