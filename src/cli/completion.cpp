// tacho completion: prints a script that completes tacho's options in a shell.
#include "help/completion.hpp"

#include <memory>

#include "cli/failure.hpp"
#include "cli/subcommands.hpp"
#include "help/help_format.hpp"
#include "help/option_value.hpp"

namespace tacho {
namespace {

int print_completion(const std::string& shell) {
  CLI::App program("", "tacho");
  const std::vector<std::string> command;
  int status = 0;
  declare_program(program, command, status, "");
  for (const std::string& name : subcommand_names()) try {
      program.parse(std::vector<std::string>{"--help", name});  // some declare options only then
    } catch (const CLI::CallForHelp&) {
      continue;
    }
  const auto subcommands = completed_subcommands(program);
  if (shell == "bash") return answer(bash_completion(subcommands));
  return answer(shell == "zsh" ? zsh_completion(subcommands) : fish_completion(subcommands));
}

}  // namespace

void add_completion(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* completion = program.add_subcommand("completion", "Print a completion script");
  completion->footer(
      "source <(tacho completion bash)      completes in this shell; so in zsh\n"
      "tacho completion fish | source      the same in fish\n" +
      std::string(kOwnExitStatus));
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  completion->callback([shell, &status] { status = print_completion(*shell); });
}

}  // namespace tacho
