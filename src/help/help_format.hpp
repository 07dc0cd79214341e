// What --help prints.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

// The exit status of what launches no command.
inline constexpr const char* kOwnExitStatus = "Exit status: 0; 125 when tacho itself failed.";

// As wide as the terminal, within 80 to 120 columns; 100 where there is none. COLUMNS goes before.
std::size_t help_columns();

// CLI11's formatter tells of each option how it is checked, what excludes it, and of how many words
// its value may consist. An error tells that when it matters. And it breaks no lines.
class Help : public CLI::Formatter {
 public:
  explicit Help(std::size_t columns = help_columns()) : columns_(columns) {}

  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* subcommand) const override;
  std::string make_expanded(const CLI::App* group) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::size_t columns_;
};

// The text that --help or --version asks for. CLI11 throws these as errors.
std::string asked_text(const CLI::App&, const CLI::ParseError& asked);

// Breaks each line at `columns`. Of a line such as "tacho stat -p PID      attach to a process",
// only the right part is broken.
std::string broken_lines(std::string_view text, std::size_t columns);

}  // namespace tacho
