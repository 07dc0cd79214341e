// All options of a CLI11 program or subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace tacho {

// Its options and those of its groups, in the order of --help. CLI11 keeps groups as subcommands
// without a name.
std::vector<const CLI::Option*> options_of(const CLI::App& app);

// Makes an empty word an error: --html "$PAGE" of a script that did not set PAGE is no wish to have
// no page. For the options that the app, its groups and its subcommands have by now.
void refuse_empty_words(CLI::App& app);

}  // namespace tacho
