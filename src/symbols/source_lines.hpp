// Source lines and inlined functions by address, from DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// One level of the source at an address.
struct Frame {
  std::string function;  // as DWARF has it: without parameters; empty when it is not told
  std::string file;      // empty when it is not told
  unsigned line = 0;     // 0: not told
};

class SourceLines {
 public:
  // Opens the DWARF of an ELF file. Units are parsed when an address of theirs is asked for.
  // Errors: the file has none, can't be read, or tacho was built without elfutils.
  static Result<std::unique_ptr<SourceLines>> open(const std::string& path);

  virtual ~SourceLines() = default;
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // The line that the address belongs to: the innermost, of what was inlined there.
  virtual std::optional<Frame> line_at(std::uint64_t address) = 0;
  // The same, and what it was inlined into: innermost first. Empty when nothing is told.
  virtual std::vector<Frame> frames_at(std::uint64_t address) = 0;

 protected:
  SourceLines() = default;
};

}  // namespace tacho::symbols
