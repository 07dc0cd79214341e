// All options of a CLI11 program or subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace tacho {

// Its options and those of its groups, in the order of --help. CLI11 keeps groups as subcommands
// without a name.
std::vector<const CLI::Option*> options_of(const CLI::App& app);

}  // namespace tacho
