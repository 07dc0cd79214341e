// The cost of code if nothing misses, as LLVM's machine code analyser (llvm-mca) estimates it: its
// input, and how to read its output. machine_code_analyser.hpp runs it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/core_facts.hpp"

namespace tacho {

// Cycles per execution, if executions follow each other and every load hits in the first level.
struct StaticCost {
  double run = 0;
  std::optional<double> before;  // of the part in [from, to)
};

// Options for this core, and for output without tables.
std::vector<std::string> mca_options(const CoreFacts&);

// Its input: all instructions, and a second region for the instructions in [from, to). A call at
// the end becomes a jump: the called function is not part of the run, and the analyser would add a
// hundred cycles for it.
std::string mca_input(std::span<const std::string> instructions, std::size_t from, std::size_t to);

// None if the output has another form.
std::optional<StaticCost> parse_mca(std::string_view answer);

}  // namespace tacho
