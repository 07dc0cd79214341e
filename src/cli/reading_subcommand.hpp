// Declares a subcommand that reads a recording.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>

#include "cli/failure.hpp"
#include "cli/say.hpp"
#include "help/help_format.hpp"
#include "symbols/guarded_mapping.hpp"

namespace tacho {

// `declare(CLI::App*, std::shared_ptr<Options>)` declares the options. It is called only if this
// subcommand is run, because options cost every start some microseconds. `run(const Options&)`
// returns a Result<void>. Its error is printed, and `status` becomes the exit status.
template <class Options, class Declare, class Run>
void add_reading(CLI::App& program, const char* name, const char* summary, int& status,
                 Declare declare, Run run) {
  CLI::App* added = program.add_subcommand(name, summary);
  added->footer(kOwnExitStatus);
  auto options = std::make_shared<Options>();
  added->preparse_callback([=](std::size_t) { declare(added, options); });
  added->callback([options, run, &status] {
    const Result<void> done = run(*options);
    // Known at the end only: a file may change while its last byte is read.
    for (const std::string& each : symbols::warnings_of_changed_files()) say_warning(each);
    if (!done) status = fail(done.error());
  });
}

}  // namespace tacho
