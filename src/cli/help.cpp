#include "cli/help.hpp"

namespace tacho {

std::string Help::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return " " + option->get_option_text();
  if (option->get_positional() || option->get_type_size() == 0) return {};
  const std::string type = option->get_type_name();
  return " " + type.substr(0, type.find(':'));  // what it is checked against stands behind
}

std::string Help::make_expanded(const CLI::App* group) const {
  std::string text = "\n" + group->get_description() + ":\n";
  for (const CLI::Option* option : group->get_options())
    if (option != group->get_help_ptr()) text += make_option(option, false);
  return text;
}

}  // namespace tacho
