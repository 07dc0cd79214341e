// Where tacho's own words end and the workload's begin.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tacho {

struct CommandLine {
  std::vector<std::string> options;  // tacho's: the subcommand and its options
  std::vector<std::string> command;  // the workload's, untouched
};

// Splits at `--`, or before the first word of a subcommand that takes a COMMAND which is neither an
// option nor an option's value: as env, nice and perf do, so that the workload's options stay its
// own.
CommandLine split_command_line(const CLI::App& program, int argc, const char* const* argv);

}  // namespace tacho
