#include "help/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace tacho {
namespace {

// What can stand behind an option whose value may be left out. Only --plot is one.
bool is_optional_value(const std::string& word) {
  return word == "-" || word == "terminal" || word.ends_with(".svg");
}

// How many of the words are an option and its value: 2 for `-e x`, 1 for `--json`, `-r3`,
// `--pmu=x`.
std::size_t option_length(const CLI::App& app, std::span<const std::string> words) {
  const std::string& word = words.front();
  if (word.starts_with("--") ? word.contains('=') : word.size() > 2) return 1;
  const CLI::Option* option = app.get_option_no_throw(word);
  if (option == nullptr || option->get_items_expected_max() == 0) return 1;
  const bool needed = option->get_items_expected_min() > 0;
  return needed || (words.size() > 1 && is_optional_value(words[1])) ? 2 : 1;
}

}  // namespace

CommandLine split_words(const CLI::App& app, std::span<const std::string> words, std::size_t at) {
  while (at < words.size() && words[at].size() > 1 && words[at].front() == '-' && words[at] != "--")
    at += option_length(app, words.subspan(at));
  at = std::min(at, words.size());
  const auto split = words.begin() + static_cast<std::ptrdiff_t>(at);
  const bool marked = split != words.end() && *split == "--";
  return {{words.begin(), split}, {split + (marked ? 1 : 0), words.end()}, marked};
}

CommandLine split_command_line(const CLI::App& program, std::span<const std::string> words) {
  const auto subcommands = program.get_subcommands(
      [&](const CLI::App* each) { return !words.empty() && each->get_name() == words.front(); });
  const CLI::App* subcommand = subcommands.empty() ? nullptr : subcommands.front();
  if (subcommand == nullptr || !subcommand->get_allow_extras())
    return {{words.begin(), words.end()}, {}, false};
  return split_words(*subcommand, words, 1);
}

}  // namespace tacho
