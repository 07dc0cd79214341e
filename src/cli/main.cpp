// tacho: measures what a processor did.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cli/command_line.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"

namespace tacho {
namespace {

// Nothing that tacho opens may become its standard output. What was closed stays so for the
// workload (O_CLOEXEC), and can't be read or written here (O_PATH).
void keep_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/", O_PATH | O_CLOEXEC));  // the lowest
}

// CLI11 would call it an unexpected argument.
void refuse_unknown_subcommand(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty() || words.front().starts_with('-')) return;
  const auto named = [&](const CLI::App* each) { return each->get_name() == words.front(); };
  if (program.get_subcommands(named).empty())
    throw CLI::ParseError("unknown subcommand '" + words.front() + "'",
                          CLI::ExitCodes::ExtrasError);
}

int run(const std::vector<std::string>& words) {
  // CLI11 throws to say it, and a static program's first throw sorts all unwinding tables: 2 ms.
  if (words == std::vector<std::string>{"--version"}) return std::puts("tacho " TACHO_VERSION) < 0;
  CLI::App program("tacho measures what a processor did.", "tacho");
  program.require_subcommand(1);
  program.set_version_flag("--version", "tacho " TACHO_VERSION);
  program.set_help_flag("-h,--help", "Print this help and exit");
  program.footer(
      "Exit status: the workload's own; 128+N when signal N killed it; 125 when tacho "
      "itself failed;\n126 or 127 when the command can't be run or found.");
  int status = 0;
  std::vector<std::string> command;
  add_stat(program, command, status);
  add_record(program, command, status);
  add_latency(program, status);
  add_report(program, status);
  add_annotate(program, status);
  add_blocks(program, status);
  add_list(program, status);
  add_doctor(program, status);
  CommandLine line = split_command_line(program, words);
  command = std::move(line.command);
  try {
    refuse_unknown_subcommand(program, line.options);
    std::ranges::reverse(line.options);  // as CLI11 wants them
    program.parse(std::move(line.options));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // help and version
    say_error({.what = error.what(), .remedy = "see 'tacho --help' and 'tacho SUBCOMMAND --help'"});
    return kOwnFailure;
  }
  return status;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  try {
    tacho::keep_standard_descriptors();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const bool older_name = argc > 0 && tacho::is_rpistat(argv[0]);
    return older_name ? tacho::run_rpistat(words) : tacho::run(words);
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "tacho: error: %s\n", error.what()));
    return tacho::kOwnFailure;
  }
}
