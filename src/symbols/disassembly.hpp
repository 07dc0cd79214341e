// Disassembles machine code into instructions, each with its text and its control flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// Which instruction is executed after this one.
enum class Flow : std::uint8_t {
  onwards,      // the next one in memory
  conditional,  // the next one in memory, or another one
  away,         // always another one: jumps, calls, returns
  unknown,      // the bytes are no instruction
};

struct Instruction {
  std::uint64_t address = 0;
  std::uint8_t size = 0;
  std::string text;                     // in the syntax of the GNU assembler
  std::optional<std::uint64_t> target;  // of a direct jump or call
  Flow flow = Flow::onwards;
};

// The instruction set of some code, from the header of its ELF file.
struct CodeKind {
  std::uint16_t machine = 0;  // EM_*
  bool wide = true, big_endian = false;
  bool thumb = false;  // ARM's short instructions
};

// Bytes that are no instruction of this kind become ".byte". Fails if tacho does not know the
// architecture, or was built without capstone.
Result<std::vector<Instruction>> disassemble(const CodeKind&, std::span<const std::byte> code,
                                             std::uint64_t address);

}  // namespace tacho::symbols
