#include "help/help_format.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ranges>
#include <string_view>

#include "base/text_layout.hpp"

namespace tacho {

std::size_t help_columns() {
  constexpr std::size_t kNarrowest = 80, kWidest = 120, kNoTerminal = 100;
  std::size_t columns = 0;
  if (const char* told = std::getenv("COLUMNS"); told != nullptr) {
    const std::string_view text(told);
    std::from_chars(text.data(), text.data() + text.size(), columns);
  }
  winsize window{};
  if (columns == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) columns = window.ws_col;
  return columns == 0 ? kNoTerminal : std::clamp(columns, kNarrowest, kWidest);
}

std::string Help::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return " " + option->get_option_text();
  if (option->get_positional() || option->get_type_size() == 0) return {};
  const std::string type = option->get_type_name();
  return " " + type.substr(0, type.find(':'));  // what it is checked against stands behind
}

std::string Help::make_option_desc(const CLI::Option* option) const {
  std::string lines = paragraph("", option->get_description(), columns_ - get_column_width());
  lines.pop_back();  // its newline
  return lines;
}

std::string Help::make_footer(const CLI::App* app) const {
  return app->get_footer().empty() ? std::string() : broken_lines(app->get_footer(), columns_);
}

std::string Help::make_subcommand(const CLI::App* subcommand) const {
  return paragraph(pad_right("  " + subcommand->get_display_name(true), get_column_width()),
                   subcommand->get_description(), columns_);
}

std::string Help::make_expanded(const CLI::App* group) const {
  std::string text = "\n" + group->get_description() + ":\n";
  for (const CLI::Option* option : group->get_options())
    if (option != group->get_help_ptr() && !option->get_group().empty())
      text += make_option(option, false);
  return text;
}

std::string asked_text(const CLI::App& app, const CLI::ParseError& asked) {
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr;
  return version ? std::string(asked.what()) + '\n' : app.help();
}

std::string broken_lines(std::string_view text, std::size_t columns) {
  std::string broken;
  for (const auto each : text | std::views::split('\n')) {
    const std::string_view line(each);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("   ", begin);
    const std::size_t right = gap == line.npos ? begin : line.find_first_not_of(' ', gap);
    broken += paragraph(line.substr(0, right), line.substr(right), columns);
  }
  return broken;
}

}  // namespace tacho
