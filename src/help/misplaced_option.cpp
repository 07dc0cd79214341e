#include "help/misplaced_option.hpp"

#include <algorithm>
#include <string_view>

#include "events/generic_names.hpp"
#include "help/option_value.hpp"

namespace tacho {
namespace {

// Programs that take names of events themselves, or any text.
bool takes_such_values(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "perf" || name == "tacho" || name == "rpistat" || name == "sed" ||
         name.ends_with("grep");
}

bool is_for_tacho(const CLI::Option& option, const std::string& value) {
  const std::string type = option.get_type_name();
  if (type == "EVENTS")
    return generic_event(value.substr(0, value.find_first_of(",:"))).has_value();
  if (!type.starts_with("KIND:")) return false;
  const std::vector<std::string> kinds = offered_words(option);
  return std::ranges::find(kinds, value) != kinds.end();
}

}  // namespace

std::string misplaced_option(const CLI::App& subcommand, std::span<const std::string> command) {
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (takes_such_values(command[i])) return {};
    if (i == 0 || !command[i].starts_with('-')) continue;
    const CLI::Option* option = subcommand.get_option_no_throw(command[i]);
    if (option != nullptr && is_for_tacho(*option, command[i + 1]))
      return command[i] + " " + command[i + 1];
  }
  return {};
}

}  // namespace tacho
