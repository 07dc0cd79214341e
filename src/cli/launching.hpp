// A subcommand that takes a COMMAND: how it is declared, and how the command reaches its options.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace tacho {

struct Launching {
  const char* name;
  const char* summary;
  const char* footer;
};

// `declare(CLI::App&, Options&)` declares its options, whose member `command` is what stood behind
// them; `run(Options)` gives the exit status, which is left in `status`.
template <class Options, class Run>
void add_launching(CLI::App& program, const Launching& what,
                   const std::vector<std::string>& command, int& status, Run run) {
  CLI::App* added = program.add_subcommand(what.name, what.summary);
  added->footer(what.footer);
  added->allow_extras();  // marks it as one that takes a command; main splits that off
  auto options = std::make_shared<Options>();
  declare(*added, *options);
  added->callback([added, options, &command, &status, run] {
    if (!added->remaining().empty()) throw CLI::ExtrasError(added->remaining());
    options->command = command;
    status = run(*options);
  });
}

}  // namespace tacho
