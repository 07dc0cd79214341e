// Where tacho's own words end and the workload's begin.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tacho {

struct CommandLine {
  std::vector<std::string> options;  // tacho's: the subcommand and its options
  std::vector<std::string> command;  // the workload's, untouched
  bool marked = false;               // -- stands between them
};

// Splits at `--`, or before the first word of a subcommand that takes a COMMAND which is neither an
// option nor an option's value: as env, nice and perf do, so that the workload's options stay its
// own.
CommandLine split_command_line(const CLI::App& program, std::span<const std::string> words);

// The same for a program, or a subcommand, that takes a COMMAND: from the word at `at` on.
CommandLine split_words(const CLI::App& app, std::span<const std::string> words, std::size_t at);

}  // namespace tacho
