// The program: its subcommands, and what is common to them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>

#include "cli/failure.hpp"
#include "cli/subcommands.hpp"
#include "events/find_data.hpp"
#include "help/command_line.hpp"
#include "help/help_format.hpp"
#include "help/misplaced_option.hpp"
#include "help/topics.hpp"
#include "help/usage_error.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App& program, const std::vector<std::string>& command, int& status);
};
constexpr const char* kVersion = "tacho " TACHO_VERSION_STRING;

constexpr Subcommand kSubcommands[] = {
    {"stat", add_stat},         {"record", add_record},
    {"latency", add_latency},   {"report", add_report},
    {"annotate", add_annotate}, {"blocks", add_blocks},
    {"dump", add_dump},         {"compare", add_compare},
    {"regions", add_regions},   {"merge", add_merge},
    {"list", add_list},         {"doctor", add_doctor},
    {"help", add_help},         {"completion", add_completion},
};

// After setcap(8), a user's sets, metrics and models would be read by a program with privileges.
void say_ignored_data() {
  if (const auto ignored = ignored_data_directories(); !ignored.empty())
    say_warning(fmt::format(
        "this file of tacho has privileges (setcap), so it takes no event sets, metrics or models "
        "from {}: give a file by its path, as in -S ./mine.toml",
        fmt::join(ignored, ", ")));
}

void say_misplaced(const CLI::App& subcommand, const std::vector<std::string>& command) {
  if (const std::string option = misplaced_option(subcommand, command); !option.empty())
    say_warning(
        fmt::format("'{}' is an argument of '{}' here: options of tacho come before the "
                    "command",
                    option, command.front()));
}

}  // namespace

void declare_program(CLI::App& program, const std::vector<std::string>& command, int& status,
                     std::string_view only) {
  program.formatter(std::make_shared<Help>());
  program.require_subcommand(1);
  program.set_version_flag("-V,--version", kVersion, "Print the version and exit");
  program.set_help_flag("-h,--help", "Print this help and exit");
  program.footer("'tacho help TOPIC' explains:\n" + topic_list() +
                 "\nExit status: the workload's own; 128+N when signal N killed it; 125 when tacho "
                 "itself failed; 126 or 127 when the command can't be run or found.");
  for (const Subcommand& each : kSubcommands)
    if (only.empty() || each.name == only) each.add(program, command, status);
}

bool is_subcommand(std::string_view word) {
  return std::ranges::find(kSubcommands, word, &Subcommand::name) != std::end(kSubcommands);
}

std::vector<std::string> subcommand_names() {
  std::vector<std::string> names;
  for (const Subcommand& each : kSubcommands) names.emplace_back(each.name);
  return names;
}

int run_tacho(const std::vector<std::string>& words) {
  // CLI11 throws to say it, and a static program's first throw sorts all unwinding tables: 2 ms.
  if (words.size() == 1 && (words.front() == "--version" || words.front() == "-V"))
    return answer(fmt::format("{}\n", kVersion));
  say_ignored_data();
  CLI::App program("tacho measures what a processor did.", "tacho");
  int status = 0;
  std::vector<std::string> command;
  // The named one alone, where it is one: to describe the options of all takes a quarter of a
  // millisecond.
  const bool one = !words.empty() && is_subcommand(words.front());
  declare_program(program, command, status, one ? words.front() : "");
  const std::string see = one ? "see 'tacho " + words.front() + " --help'"
                              : "see 'tacho --help' and 'tacho help TOPIC'";
  if (const auto wrong = first_word_error(program, words, see)) return fail(*wrong);
  CommandLine line = split_command_line(program, words);
  if (const auto wrong = empty_word_error(line.options, see)) return fail(*wrong);
  command = std::move(line.command);
  if (one && !line.marked) say_misplaced(*program.get_subcommand(words.front()), command);
  try {
    std::ranges::reverse(line.options);  // as CLI11 wants them
    program.parse(std::move(line.options));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return answer(asked_text(program, error));
    const CLI::App& asked = one ? *program.get_subcommand(words.front()) : program;
    return fail(usage_error(asked, error, see));
  }
  return status;
}

}  // namespace tacho
