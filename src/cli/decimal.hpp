// Numbers of options, which are decimal.
#pragma once

#include <CLI/CLI.hpp>

namespace tacho {

// To be given to an option by transform(), which goes before its checks. CLI11 alone reads whole
// numbers as C does: 010 would be eight runs, 0x10 sixteen, and 08 none.
CLI::Validator decimal();

}  // namespace tacho
