// Unwinds stacks after they were recorded: from a copy of a thread's registers and stack, with the
// call frame information of compilers (DWARF 5, section 6.4).
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

// A copy that the kernel made of a thread's registers and stack (PERF_SAMPLE_REGS_USER and
// PERF_SAMPLE_STACK_USER).
struct StackCopy {
  bool is_64bit = true;
  std::uint64_t mask = 0;                    // which registers: bits by the kernel's numbers
  std::span<const std::uint64_t> registers;  // in the order of the bits of `mask`
  std::span<const std::byte> stack;          // from the stack pointer on
  bool lacks_registers = false;              // all but the stack and instruction pointers
};

// The address of each frame, innermost first. The first is the interrupted instruction, the others
// are return addresses.
struct UnwoundStack {
  std::vector<std::uint64_t> frames;
  bool cut = false;  // there are more: the copy ended, or there are more than 256
};

// A file that a process has mapped.
struct LoadedFile {
  std::string path;
  std::uint64_t bias = 0;            // address in the process minus address in the file
  std::span<const std::byte> image;  // for the [vdso], which is not a file; otherwise empty
};

// Unwinds the stacks of one process. Not thread-safe.
class Unwinder {
 public:
  // Returns the file that has the code at an address; nullopt if it is not available.
  using Find = std::function<std::optional<LoadedFile>(std::uint64_t address)>;

  // `machine` is the name from uname(2); empty if it is not known. Fails if tacho can't unwind
  // stacks of that machine, or was built without elfutils.
  static Result<std::unique_ptr<Unwinder>> create(const std::string& machine);

  virtual ~Unwinder() = default;
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // Ends where the copy or the call frame information ends; has at most 256 frames.
  virtual UnwoundStack unwind(const StackCopy&, const Find&) = 0;

 protected:
  Unwinder() = default;
};

}  // namespace tacho::symbols
