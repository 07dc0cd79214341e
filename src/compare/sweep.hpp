// A sweep: one command with several values of a parameter, and how its cost grows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compare/request.hpp"
#include "compare/runs.hpp"
#include "stats/growth.hpp"

namespace tacho {

// Reads NAME=V1,V2,…: two to 26 different positive numbers, as they are to be written into the
// command.
Result<Sweep> parse_sweep(const std::string& text);

// One command for each value, with the value in the place of each {NAME} in its words, its input
// and its shell commands. It is an error if {NAME} occurs nowhere.
Result<std::vector<ComparedCommand>> commands_of(const Sweep& sweep,
                                                 const ComparedCommand& command);

struct MetricGrowth {
  std::size_t metric = 0;
  Growth growth;
};

// The exponent b of y = a·n^b for each metric that is above 0 in all runs.
std::vector<MetricGrowth> growth_of(const PairedRuns& runs);

// A warning if the primary metric is no power of the parameter: its exponent between the two
// smallest values is not that between the two largest.
std::optional<std::string> bend_warning(const PairedRuns& runs);

}  // namespace tacho
