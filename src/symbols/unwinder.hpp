// Who called, found out after the fact: from a copy of a thread's registers and of its stack, with
// the call frame information that compilers leave (DWARF 5, section 6.4).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// As the kernel copied them (PERF_SAMPLE_REGS_USER and _STACK_USER).
struct StackCopy {
  bool is_64bit = true;
  std::uint64_t mask = 0;                    // which registers, by the kernel's numbers
  std::span<const std::uint64_t> registers;  // in the order of its bits
  std::span<const std::byte> stack;          // from the stack pointer on
};

// A file whose code a process runs, and what its addresses are moved by there.
struct LoadedFile {
  std::string path;
  std::uint64_t bias = 0;
  std::span<const std::byte> image;  // where there is no file at the path: the [vdso]
};

// Unwinds one process's stacks. Not thread-safe.
class Unwinder {
 public:
  // Which file has the code at an address; none where it is not to be had.
  using Find = std::function<std::optional<LoadedFile>(std::uint64_t address)>;

  // `machine` as uname(2) has it; empty where nobody tells. Errors: no such machine's stacks can be
  // unwound, or tacho was built without elfutils.
  static Result<std::unique_ptr<Unwinder>> create(const std::string& machine);

  virtual ~Unwinder() = default;
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // The address of each frame, innermost first: the first was interrupted, the others are returned
  // to. It ends where the copy does, or the call frame information; at most 256 frames.
  virtual std::vector<std::uint64_t> frames(const StackCopy&, const Find&) = 0;

 protected:
  Unwinder() = default;
};

}  // namespace tacho::symbols
