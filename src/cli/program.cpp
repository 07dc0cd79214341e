// The program: its subcommands, and what is common to them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/failure.hpp"
#include "cli/help.hpp"
#include "cli/subcommands.hpp"
#include "cli/usage_error.hpp"
#include "events/find_data.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

struct Subcommand {
  std::string_view name;
  void (*add)(CLI::App& program, const std::vector<std::string>& command, int& status);
};
constexpr Subcommand kSubcommands[] = {
    {"stat", add_stat},     {"record", add_record},     {"latency", add_latency},
    {"report", add_report}, {"annotate", add_annotate}, {"blocks", add_blocks},
    {"dump", add_dump},     {"compare", add_compare},   {"regions", add_regions},
    {"merge", add_merge},   {"list", add_list},         {"doctor", add_doctor},
};

// CLI11 would call it an unexpected argument.
void refuse_unknown_subcommand(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) return;
  const auto named = [&](const CLI::App* each) { return each->get_name() == words.front(); };
  if (program.get_subcommands(named).empty())
    throw CLI::ParseError("unknown subcommand '" + words.front() + "'",
                          CLI::ExitCodes::ExtrasError);
}

// After setcap(8), a user's sets, metrics and models would be read by a program with privileges.
void say_ignored_data() {
  if (const auto ignored = ignored_data_directories(); !ignored.empty())
    say_warning(fmt::format(
        "this file of tacho has privileges (setcap), so it takes no event sets, metrics or models "
        "from {}: give a file by its path, as in -S ./mine.toml",
        fmt::join(ignored, ", ")));
}

}  // namespace

int run_tacho(const std::vector<std::string>& words) {
  // CLI11 throws to say it, and a static program's first throw sorts all unwinding tables: 2 ms.
  if (words == std::vector<std::string>{"--version"})
    return answer("tacho " TACHO_VERSION_STRING "\n");
  say_ignored_data();
  CLI::App program("tacho measures what a processor did.", "tacho");
  program.formatter(std::make_shared<Help>());
  program.require_subcommand(1);
  program.set_version_flag("--version", "tacho " TACHO_VERSION_STRING);
  program.set_help_flag("-h,--help", "Print this help and exit");
  program.footer(
      "Exit status: the workload's own; 128+N when signal N killed it; 125 when tacho "
      "itself failed; 126 or 127 when the command can't be run or found.");
  int status = 0;
  std::vector<std::string> command;
  // The named one alone, where it is one: to describe the options of all takes a quarter of a
  // millisecond.
  const auto named = [&](const Subcommand& each) {
    return !words.empty() && each.name == words.front();
  };
  const bool one = std::ranges::any_of(kSubcommands, named);
  for (const Subcommand& each : kSubcommands)
    if (!one || named(each)) each.add(program, command, status);
  CommandLine line = split_command_line(program, words);
  command = std::move(line.command);
  try {
    refuse_unknown_subcommand(program, line.options);
    std::ranges::reverse(line.options);  // as CLI11 wants them
    program.parse(std::move(line.options));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return answer(program, error);
    const CLI::App& asked = one ? *program.get_subcommand(words.front()) : program;
    return fail(usage_error(asked, error,
                            one ? "see 'tacho " + words.front() + " --help'"
                                : "see 'tacho --help' and 'tacho SUBCOMMAND --help'"));
  }
  return status;
}

}  // namespace tacho
