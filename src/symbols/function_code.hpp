// The machine code of one function, in bounded memory: all of it, or the hottest parts of a
// function that is larger than any that is read as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "symbols/disassembly.hpp"

namespace tacho::symbols {

// Decodes `size` bytes from this offset in the function on.
using DecodePiece =
    std::function<Result<std::vector<Instruction>>(std::uint64_t offset, std::uint64_t size)>;

struct SamplesAt {
  std::uint64_t address = 0;
  std::uint64_t samples = 0;
};

struct FunctionCode {
  std::vector<Instruction> instructions;  // by address
  std::uint64_t left_out = 0;             // instructions
};

// The instructions of a function of `size` bytes: at most kMostInstructions. If there are more,
// those around most samples.
inline constexpr std::size_t kMostInstructions = std::size_t{1} << 16;
Result<FunctionCode> function_code(std::uint64_t size, const DecodePiece&,
                                   std::span<const SamplesAt>);

}  // namespace tacho::symbols
