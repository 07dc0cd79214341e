// Options of perf that tacho does not have, and what to use instead: for errors and for
// `tacho help perf`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tacho {

struct PerfOption {
  std::string_view subcommand;  // tacho's; perf's name of `dump` is script
  std::string_view names;       // "-M,--metrics"
  std::string_view instead;     // a remedy, as in an error
};

// Those of one subcommand stand together.
std::span<const PerfOption> perf_options();

// What to use instead of perf's option; empty if the table does not have it.
std::string_view instead_of(std::string_view subcommand, std::string_view option);

// Subcommands of perf that tacho has by another name.
struct PerfSubcommand {
  std::string_view name;
  std::string_view instead;
};
std::span<const PerfSubcommand> perf_subcommands();

// Both tables as text for `tacho help perf`.
std::string perf_options_text(std::size_t columns);

}  // namespace tacho
