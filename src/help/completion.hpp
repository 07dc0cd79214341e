// Completion scripts for shells, made from the description of a program's subcommands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace tacho {

// What a shell offers where a value is expected.
enum class Offered : std::uint8_t {
  nothing,
  words,
  words_or_files,
  files,
  directories,
  events,
  processes
};

struct CompletedOption {
  std::vector<std::string> names;  // "-e", "--event"; empty: an argument that is no option
  std::string description;         // short
  bool takes_value = false;        // in the next word
  Offered offered = Offered::nothing;
  std::vector<std::string> words;
};

struct CompletedSubcommand {
  std::string name;
  std::string description;
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> arguments;
  bool takes_command = false;  // behind the options, with arguments of its own
};

// Describes the subcommands of a program. Their options must have been declared.
std::vector<CompletedSubcommand> completed_subcommands(const CLI::App& program);

// The scripts. They run the program itself for names of events (`tacho list`).
std::string bash_completion(const std::vector<CompletedSubcommand>& subcommands);
std::string zsh_completion(const std::vector<CompletedSubcommand>& subcommands);
std::string fish_completion(const std::vector<CompletedSubcommand>& subcommands);

}  // namespace tacho
