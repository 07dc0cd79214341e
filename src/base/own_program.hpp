// Finds the file of the running program.
#pragma once

#include <filesystem>

namespace tacho {

// Returns the absolute path of this program's file with links resolved, or an empty path. Uses
// /proc if it is mounted, else the path that the kernel passed to the program (AT_EXECFN). That
// path may be relative, so call this before a change of the working directory.
std::filesystem::path own_program();

}  // namespace tacho
