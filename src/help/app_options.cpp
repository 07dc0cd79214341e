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

void refuse_empty_names(CLI::App& app) {
  for (CLI::Option* option : app.get_options({}))
    if (const std::string type = option->get_type_name(); type == "FILE" || type == "DIR")
      option->check([](const std::string& name) {
        return std::string(name.empty() ? "the name is empty" : "");
      });
  for (CLI::App* part : app.get_subcommands({})) refuse_empty_names(*part);
}

}  // namespace tacho
