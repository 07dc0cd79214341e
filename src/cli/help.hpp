// What --help says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tacho {

// The exit status of what launches no command.
inline constexpr const char* kOwnExitStatus = "Exit status: 0; 125 when tacho itself failed.";

// CLI11's formatter tells of each option how it is checked, what excludes it, and of how many words
// its value may consist. An error tells that when it matters.
class Help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_expanded(const CLI::App* group) const override;
};

}  // namespace tacho
