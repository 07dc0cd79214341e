// The machine code of runs: how many instructions, which basic blocks, and whether it can have run
// straight at all.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "symbols/binary.hpp"

namespace tacho {

// One file's code, decoded where runs passed. Addresses are the file's.
class RunCode {
 public:
  explicit RunCode(symbols::Binary& binary) : binary_(binary) {}

  // From `start` to the instruction at `end`.
  struct Walk {
    bool possible = true;  // false: it leads elsewhere before, or passes over `end`
    std::optional<std::uint32_t> instructions;  // absent where bytes are no instruction
  };
  Walk walk(std::uint64_t start, std::uint64_t end);

  // When all runs have been walked: basic blocks begin where a run does, behind a conditional jump,
  // and where a jump of the code that was decoded leads.
  void find_blocks();
  // The addresses of a run's instructions, as far as they can be decoded.
  std::vector<std::uint64_t> instructions(std::uint64_t start, std::uint64_t end);
  // Of a run that has its instructions: where its blocks start.
  std::vector<std::uint64_t> blocks(std::uint64_t start, std::uint64_t end) const;

 private:
  struct Decoded {
    std::uint8_t size = 0;
    symbols::Flow flow = symbols::Flow::unknown;
    bool leads = false;  // a block begins here
  };
  const Decoded* decoded(std::uint64_t address, std::uint64_t end);

  symbols::Binary& binary_;
  std::unordered_map<std::uint64_t, Decoded> decoded_;
  std::vector<std::uint64_t> targets_;  // of jumps
};

}  // namespace tacho
