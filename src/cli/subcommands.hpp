// cli: parses, calls and prints. One file a subcommand; only this room prints.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tacho {

inline constexpr int kOwnFailure = 125;  // exit status when tacho itself failed

// Each adds its subcommand to the program. The subcommand runs when it was parsed, and leaves its
// exit status in `status`. `command` is what stood behind the options.
void add_stat(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_list(CLI::App& program, int& status);
void add_doctor(CLI::App& program, int& status);

}  // namespace tacho
