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

}  // namespace tacho
