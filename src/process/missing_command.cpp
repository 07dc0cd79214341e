#include "process/missing_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/program_files.hpp"
#include "base/shell_line.hpp"

namespace tacho {
namespace {

// Builtins and keywords of POSIX shells, and of bash, that are rarely programs, too.
constexpr auto kOfShells = std::to_array<std::string_view>(
    {".",        ":",     "alias", "bg",    "break",  "case", "cd",       "command",
     "continue", "eval",  "exec",  "exit",  "export", "fc",   "fg",       "for",
     "getopts",  "hash",  "if",    "jobs",  "local",  "read", "readonly", "return",
     "set",      "shift", "time",  "times", "trap",   "type", "ulimit",   "umask",
     "unalias",  "unset", "until", "wait",  "while",  "{",    "!"});
constexpr auto kOfBash = std::to_array<std::string_view>(
    {"[[", "builtin", "declare", "dirs", "function", "history", "let", "popd", "pushd", "select",
     "shopt", "source", "typeset"});

// The shell to which a word belongs; empty if it is no word of a shell.
std::string shell_of(std::string_view word) {
  if (std::ranges::find(kOfShells, word) != kOfShells.end()) return "sh";
  return std::ranges::find(kOfBash, word) != kOfBash.end() ? "bash" : "";
}

bool is_program(const std::string& name) {
  return std::ranges::any_of(program_files(name), [](const std::string& file) {
    return ::access(file.c_str(), X_OK) == 0;
  });
}

// NAME=VALUE
bool is_assignment(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return name.size() < word.size() && !name.empty() && (name.front() < '0' || name.front() > '9') &&
         std::ranges::all_of(
             name,
             [](char c) {
               return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                      (c >= 'a' && c <= 'z');
             });
}

std::string by_shell(const std::string& shell, const std::string& line) {
  const std::array<std::string, 3> words = {shell, "-c", line};
  return shell_line(words);
}

}  // namespace

std::string remedy_of_missing_command(std::span<const std::string> words) {
  const std::string& name = words.front();
  if (const std::string shell = shell_of(name); !shell.empty())
    return fmt::format("it is a command of the shell itself: {}",
                       by_shell(shell, shell_line(words)));
  const std::string first = name.substr(0, name.find(' '));
  if (words.size() == 1 && first.size() < name.size() && !first.empty()) {
    const std::string shell = shell_of(first);
    if (!shell.empty() || is_assignment(first) || is_program(first))
      return fmt::format("for a command line: {}", by_shell(shell.empty() ? "sh" : shell, name));
  } else if (is_assignment(name)) {
    return fmt::format("to set a variable: env {}", shell_line(words));
  }
  return "check the spelling and PATH";
}

}  // namespace tacho
