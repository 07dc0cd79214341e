// The options that choose the format of a report. Every subcommand declares them by this function.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "report/format.hpp"

namespace tacho {

// Adds --json and --csv; without them `format` stays as it is. The user may give one option of the
// group that is returned: a subcommand adds its other formats there.
CLI::Option_group& add_format_options(CLI::App& app, Format& format,
                                      const std::string& csv_description = "As CSV");

}  // namespace tacho
