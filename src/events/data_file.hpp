// Where tacho's and the user's data files are, and how one is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// share/tacho beside the program's own directory; empty if /proc does not give the program's path.
std::string shipped_data_directory();

// The directories with data files: $TACHO_DATA, $XDG_CONFIG_HOME/tacho (or ~/.config/tacho), and
// share/tacho beside the program's own directory. The first directory that has a file is used.
std::vector<std::string> data_directories();

// Returns the user's directories of data that are there and that tacho does not use, because it has
// privileges. Empty without privileges.
std::vector<std::string> ignored_data_directories();

// The text of a data file. One in a data directory must be a regular file (open_regular_file).
// Otherwise the user gave its path, which may be a FIFO of the shell.
Result<std::string> read_data_file(const std::string& path);

}  // namespace tacho
