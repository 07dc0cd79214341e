// What code costs when nothing misses, as LLVM's machine code analyser (llvm-mca) estimates it:
// what to ask it, and what its answer says. Who runs it is src/cli/machine_code_analyser.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/core_facts.hpp"

namespace tacho {

// Cycles an execution, executions back to back, every load a hit in the first level.
struct StaticCost {
  double run = 0;
  std::optional<double> before;  // of the part that was asked for besides
};

// Its options: text without tables, for this core.
std::vector<std::string> mca_options(const CoreFacts&);

// Its input: all instructions, and those in [from, to) once more. A call at the end becomes a jump:
// what is called is not of the run, and the analyser would add a hundred cycles for it.
std::string mca_input(std::span<const std::string> instructions, std::size_t from, std::size_t to);

// None when the answer is no such answer.
std::optional<StaticCost> parse_mca(std::string_view answer);

}  // namespace tacho
