// cli: parses, calls and prints. One file a subcommand; only this room prints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tacho {

inline constexpr int kOwnFailure = 125;  // exit status when tacho itself failed

// Each adds its subcommand to the program. The subcommand runs when it was parsed, and leaves its
// exit status in `status`. `command` is what stood behind the options, of those that take one.
void add_stat(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_record(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_latency(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_report(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_annotate(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_blocks(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_dump(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_compare(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_merge(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_regions(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_list(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_doctor(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_help(CLI::App& program, const std::vector<std::string>& command, int& status);
void add_completion(CLI::App& program, const std::vector<std::string>& command, int& status);

std::vector<std::string> subcommand_names();
bool is_subcommand(std::string_view word);

// Declares the program itself, with all subcommands or `only` one.
void declare_program(CLI::App& program, const std::vector<std::string>& command, int& status,
                     std::string_view only);

// The program, called with these words: its exit status.
int run_tacho(const std::vector<std::string>& words);

// Under its older name: whether it was called by that, and what it does then.
bool is_rpistat(std::string_view called);
int run_rpistat(std::span<const std::string> words);

// tacho stat with these options.
struct StatOptions;
int run_stat(const StatOptions& options);

}  // namespace tacho
