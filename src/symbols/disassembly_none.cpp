// The disassembler of a build without capstone: it fails always.
#include "symbols/disassembly.hpp"

namespace tacho::symbols {

Result<std::vector<Instruction>> disassemble(const CodeKind&, std::span<const std::byte>,
                                             std::uint64_t) {
  return failure("cannot show instructions: this tacho was built without capstone",
                 "build it with -DTACHO_CAPSTONE=ON");
}

}  // namespace tacho::symbols
