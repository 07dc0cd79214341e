// What the completion scripts of all shells are made from.
#include "help/completion.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "help/app_options.hpp"
#include "help/option_value.hpp"

namespace tacho {
namespace {

struct OfferedType {
  std::string_view type;  // the name of what an option takes
  Offered offered;
};
constexpr auto kTypes = std::to_array<OfferedType>({{"FILE", Offered::files},
                                                    {"OTHER...", Offered::files},
                                                    {"FILE.svg|png", Offered::files},
                                                    {"[FILE.svg]", Offered::files},
                                                    {"DIR", Offered::directories},
                                                    {"COMMAND", Offered::files},
                                                    {"EVENTS", Offered::events},
                                                    {"PATTERN", Offered::events},
                                                    {"SET", Offered::words_or_files}});

Offered offered_for(const CLI::Option& option, bool has_words) {
  // Recorded processes (--pid of a report) need not run any more.
  const auto& letters = option.get_snames();
  if (std::ranges::find(letters, "p") != letters.end()) return Offered::processes;
  std::string type = option.get_positional() ? option.get_name(true) : option.get_type_name();
  type = type.substr(0, type.find(":{"));
  const auto found = std::ranges::find(kTypes, type, &OfferedType::type);
  if (found != kTypes.end()) return found->offered;
  return has_words ? Offered::words : Offered::nothing;
}

// The first part of a description, which a shell shows in a line.
std::string short_description(std::string_view text) {
  for (const std::string_view end : {". ", "; ", " (", ", "}) text = text.substr(0, text.find(end));
  // "With -I: stop counting" begins with a condition.
  const bool conditional = text.starts_with("With ") || text.starts_with("Instead");
  return std::string(conditional ? text : text.substr(0, text.find(": ")));
}

CompletedOption completed_option(const CLI::Option& option) {
  CompletedOption completed;
  for (const std::string& letter : option.get_snames()) completed.names.push_back("-" + letter);
  for (const std::string& name : option.get_lnames()) completed.names.push_back("--" + name);
  completed.description = short_description(option.get_description());
  completed.takes_value = option.get_items_expected_min() > 0;
  completed.words = offered_words(option);
  if (option.get_items_expected_max() > 0)
    completed.offered = offered_for(option, !completed.words.empty());
  return completed;
}

CompletedSubcommand completed_subcommand(const CLI::App& app) {
  CompletedSubcommand completed;
  completed.name = app.get_name();
  completed.description = app.get_description();
  completed.takes_command = app.get_allow_extras();
  for (const CLI::Option* option : options_of(app))
    (option->nonpositional() ? completed.options : completed.arguments)
        .push_back(completed_option(*option));
  return completed;
}

}  // namespace

std::vector<CompletedSubcommand> completed_subcommands(const CLI::App& program) {
  std::vector<CompletedSubcommand> completed;
  for (const CLI::App* each : program.get_subcommands({}))
    completed.push_back(completed_subcommand(*each));
  return completed;
}

}  // namespace tacho
