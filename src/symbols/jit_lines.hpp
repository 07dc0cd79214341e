// Finds the source lines of a JIT compiler's code in its jitdump (JIT_CODE_DEBUG_INFO).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "symbols/jit_function.hpp"
#include "symbols/source_lines.hpp"

namespace tacho::symbols {

// The lines of the code at offsets in the file. The lines of a function are read when one of its
// addresses is looked up. `functions` are sorted by offset and must outlive the lines.
std::unique_ptr<SourceLines> jit_lines(std::span<const JitFunction> functions, ReadAt file,
                                       std::uint64_t size, bool swapped);

}  // namespace tacho::symbols
