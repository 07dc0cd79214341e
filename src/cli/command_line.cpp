#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

namespace tacho {
namespace {

// How many of the words are an option and its value: 2 for `-e x`, 1 for `--json`, `-r3`,
// `--pmu=x`.
std::size_t option_length(const CLI::App& subcommand, const std::string& word) {
  if (word.starts_with("--") ? word.contains('=') : word.size() > 2) return 1;
  const CLI::Option* option = subcommand.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0 ? 2 : 1;
}

}  // namespace

CommandLine split_command_line(const CLI::App& program, int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto subcommands = program.get_subcommands(
      [&](const CLI::App* each) { return !words.empty() && each->get_name() == words.front(); });
  const CLI::App* subcommand = subcommands.empty() ? nullptr : subcommands.front();
  if (subcommand == nullptr || !subcommand->get_allow_extras()) return {words, {}};
  std::size_t at = 1;
  while (at < words.size() && words[at].size() > 1 && words[at].front() == '-' && words[at] != "--")
    at += option_length(*subcommand, words[at]);
  at = std::min(at, words.size());
  const auto split = words.begin() + static_cast<std::ptrdiff_t>(at);
  const bool marked = split != words.end() && *split == "--";
  return {{words.begin(), split}, {split + (marked ? 1 : 0), words.end()}};
}

}  // namespace tacho
