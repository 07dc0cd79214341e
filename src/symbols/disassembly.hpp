// Machine instructions as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// Where an instruction leads.
enum class Flow : std::uint8_t {
  onwards,      // to the next one
  conditional,  // to the next one, or elsewhere
  away,         // elsewhere always: jumps, calls, returns
  unknown,      // no instruction
};

struct Instruction {
  std::uint64_t address = 0;
  std::uint8_t size = 0;
  std::string text;                     // in the GNU assembler's spelling
  std::optional<std::uint64_t> target;  // of a direct jump or call
  Flow flow = Flow::onwards;
};

// Which instructions the bytes are: of an ELF file's header.
struct CodeKind {
  std::uint16_t machine = 0;  // EM_*
  bool wide = true, big_endian = false;
  bool thumb = false;  // ARM's short instructions
};

// Bytes that are no instruction of this kind become ".byte". Errors: an architecture that is not
// known, or a tacho that was built without capstone.
Result<std::vector<Instruction>> disassemble(const CodeKind&, std::span<const std::byte> code,
                                             std::uint64_t address);

}  // namespace tacho::symbols
