// Decodes the machine code of runs: how many instructions and which basic blocks they have, and
// whether a run is straight-line code at all.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "symbols/binary.hpp"

namespace tacho {

// The code of one file, decoded where runs were executed. Addresses are those of the file.
class RunCode {
 public:
  explicit RunCode(symbols::Binary& binary) : binary_(binary) {}

  // Follows the code from `start` to the instruction at `end`, for at most `most` instructions.
  struct Walk {
    bool possible = true;  // false: it jumps away before `end`, or no instruction starts at `end`
    bool cut = false;      // it has more instructions
    std::optional<std::uint32_t> instructions;  // absent if it cannot be decoded, or was cut
    std::uint64_t followed = 0;                 // instructions
  };
  Walk walk(std::uint64_t start, std::uint64_t end, std::uint64_t most);

  // Called after all runs have been walked. A basic block begins at the start of a run, after a
  // conditional jump, and at the target of a jump in the decoded code.
  void find_basic_blocks();
  // Addresses of the instructions of a run, as far as they can be decoded.
  std::vector<std::uint64_t> instructions(std::uint64_t start, std::uint64_t end);
  // Starts of the basic blocks of a run that was decoded.
  std::vector<std::uint64_t> basic_blocks(std::uint64_t start, std::uint64_t end) const;

 private:
  struct Decoded {
    std::uint8_t size = 0;
    symbols::Flow flow = symbols::Flow::unknown;
    bool starts_block = false;
  };
  const Decoded* decoded(std::uint64_t address, std::uint64_t end);

  symbols::Binary& binary_;
  std::unordered_map<std::uint64_t, Decoded> decoded_;
  std::vector<std::uint64_t> targets_;  // of jumps, and starts of runs
};

}  // namespace tacho
