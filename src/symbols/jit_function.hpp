// A function in a jitdump (jit_dump.hpp), and the file that it is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>

namespace tacho::symbols {

// Reads bytes at an offset of a file. Returns how many there are.
using ReadAt = std::function<std::size_t(std::uint64_t offset, std::span<std::byte> bytes)>;

// A function that was compiled. Its code is identified by its offset in the file, because the same
// address can have other code later.
struct JitFunction {
  std::uint64_t offset = 0, size = 0;  // of its code in the file
  std::uint64_t address = 0;           // in the process, when it was compiled
  std::uint64_t lines_at = 0;          // offset of the record of its source lines; 0: it has none
  std::string name;
};

// The function with code at an offset in the file; nullptr if there is none. `functions` are sorted
// by offset.
inline const JitFunction* function_at(std::span<const JitFunction> functions,
                                      std::uint64_t offset) {
  const auto after = std::ranges::upper_bound(functions, offset, {}, &JitFunction::offset);
  if (after == functions.begin()) return nullptr;
  const JitFunction& found = *std::prev(after);
  return offset - found.offset < found.size ? &found : nullptr;
}

}  // namespace tacho::symbols
