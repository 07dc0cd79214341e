#include "help/app_options.hpp"

namespace tacho {

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  const auto is_group = [](const CLI::App* each) { return each->get_name().empty(); };
  for (const CLI::App* group : app.get_subcommands(is_group))
    for (const CLI::Option* option : group->get_options())
      if (option != group->get_help_ptr()) options.push_back(option);
  return options;
}

void refuse_empty_words(CLI::App& app) {
  for (CLI::Option* option : app.get_options({}))
    if (option->get_expected_min() > 0)
      option->check([](const std::string& word) {
        return std::string(word.empty() ? "the word is empty" : "");
      });
  for (CLI::App* part : app.get_subcommands({})) refuse_empty_words(*part);
}

}  // namespace tacho
