// The file and the command line of the running program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tacho {

// Returns the absolute path of this program's file with links resolved, or an empty path. Uses
// /proc if it is mounted, else the path that the kernel passed to the program (AT_EXECFN). That
// path may be relative, so call this before a change of the working directory.
std::filesystem::path own_program();

// The words that this program was started with. Empty without /proc.
std::vector<std::string> own_command_line();

}  // namespace tacho
