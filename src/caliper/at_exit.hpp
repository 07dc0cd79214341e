// The report at the end of the program, if the environment asks for one.
#pragma once

namespace tacho::caliper {

// Reads the environment. Only the first call does, when the first region becomes known: the program
// may change its environment before and after.
void read_variables();

}  // namespace tacho::caliper
