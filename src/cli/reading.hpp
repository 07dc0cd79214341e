// A subcommand that reads a recording: how it is declared.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>

#include "cli/failure.hpp"
#include "cli/help.hpp"

namespace tacho {

// `declare(CLI::App*, std::shared_ptr<Options>)` declares its options, and that only when it is
// this subcommand that is run: options cost every start some microseconds. `run(const Options&)`
// gives a Result<void>, whose error is said and left in `status`.
template <class Options, class Declare, class Run>
void add_reading(CLI::App& program, const char* name, const char* summary, int& status,
                 Declare declare, Run run) {
  CLI::App* added = program.add_subcommand(name, summary);
  added->footer(kOwnExitStatus);
  auto options = std::make_shared<Options>();
  added->preparse_callback([=](std::size_t) { declare(added, options); });
  added->callback([options, run, &status] {
    if (auto done = run(*options); !done) status = fail(done.error());
  });
}

}  // namespace tacho
