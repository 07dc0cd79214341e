// Where the running program is.
#pragma once

#include <filesystem>

namespace tacho {

// The absolute path of this program's file, links followed; empty when it can't be told. By /proc
// where it is mounted, else by what the kernel gave the program when it started it: so, before a
// change of the working directory.
std::filesystem::path own_program();

}  // namespace tacho
