// Reads the file in which a JIT compiler describes its code, jit-PID.dump ("jitdump"): which code
// was where since when, its bytes and its source lines. The layout is in
// tools/perf/Documentation/jitdump-specification.txt of Linux. Nothing in the file is trusted:
// every length is compared with the bytes that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "symbols/disassembly.hpp"
#include "symbols/function_table.hpp"
#include "symbols/jit_function.hpp"
#include "symbols/source_lines.hpp"

namespace tacho::symbols {

// From a time on, code is at an address.
struct JitPlacement {
  std::uint64_t time = 0;  // in ns if JitDump::is_monotonic(); then CLOCK_MONOTONIC
  std::uint64_t address = 0, size = 0;
  std::optional<std::uint64_t> offset;  // of the code in the file; none: the code moved away
};

class JitDump {
 public:
  // Reads the descriptions of all code, but not the code. Reads up to the first record that is
  // damaged or not yet complete. Fails if the file has no header of a jitdump.
  static Result<std::shared_ptr<JitDump>> read(ReadAt file, std::uint64_t size);

  std::uint32_t pid() const { return pid_; }  // as the process itself sees it
  bool is_monotonic() const { return monotonic_; }
  bool is_complete() const { return complete_; }  // false: the rest is damaged or missing
  // By time. Placements of one time are in the order of the file.
  const std::vector<JitPlacement>& placements() const { return placements_; }
  const std::vector<JitFunction>& functions() const { return functions_; }  // by offset
  // The functions by the offsets of their code in the file.
  const FunctionTable& table() const { return table_; }
  const JitFunction* at(std::uint64_t offset) const;  // nullptr if there is no code
  // The address that the code at an offset had when it was compiled; the offset if there is no
  // code.
  std::uint64_t address_of(std::uint64_t offset) const;

  // The lines of the code at offsets in the file.
  SourceLines& lines() { return *lines_; }
  // The instructions of the function's first `most` bytes, at the addresses that they had when it
  // was compiled.
  Result<std::vector<Instruction>> instructions(const JitFunction& of, std::uint64_t most) const;

 private:
  friend class JitDumpReader;
  JitDump();

  ReadAt file_;
  std::uint64_t size_ = 0;
  std::uint32_t pid_ = 0;
  bool swapped_ = false, monotonic_ = true, complete_ = false;
  CodeKind kind_;
  std::vector<JitFunction> functions_;
  std::vector<JitPlacement> placements_;
  FunctionTable table_;
  std::unique_ptr<SourceLines> lines_;
};

}  // namespace tacho::symbols
