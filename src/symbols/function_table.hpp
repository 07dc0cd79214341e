// Functions by address: of an ELF file, of the kernel (/proc/kallsyms), or of what a JIT compiler
// wrote of its own (/tmp/perf-PID.map).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "symbols/elf_file.hpp"
#include "symbols/nested_ranges.hpp"

namespace tacho::symbols {

struct Function {
  std::uint64_t start = 0, end = 0;  // one past its last byte
  std::string_view name;             // as the table has it: mangled
  bool thumb = false;
};

// A table's own names outlive it only where the ElfFile that they come from does.
class FunctionTable {
 public:
  FunctionTable() = default;
  // Of several names at one address one is kept: which is no label, has a size, is not weak, is
  // global, has fewer underscores in front, is the longest; so other profilers choose, too. A
  // function without a size reaches to the next one. A label within one that has a size is left
  // out.
  explicit FunctionTable(std::vector<Symbol> symbols);

  // The function whose bytes hold the address, the innermost of several; nullptr when none does.
  const Function* at(std::uint64_t address) const;
  // Those that a user means by this name (is_meant), or that the table has by it; by address.
  std::vector<const Function*> named(std::string_view name) const;
  bool empty() const { return functions_.empty(); }
  std::size_t size() const { return functions_.size(); }

 private:
  std::vector<Function> functions_;
  NestedRanges nested_;
};

// A table with the text that its names stand in, which stays where it is when the table moves.
struct OwnedTable {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
};

// The kernel's functions: what stands in brackets behind a name is its module. An error: the file
// can't be read, or tells no addresses to this user.
struct KernelFunctions {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
  // The addresses of _text and _stext, 0 when they are not there: a recording tells one of them.
  std::uint64_t text_start = 0, stext = 0;
};
Result<KernelFunctions> read_kernel_functions(const std::string& path = "/proc/kallsyms");

// A perf map: a line a function, START SIZE NAME in hex. What is none is passed over.
OwnedTable parse_perf_map(std::string text);
// Only of a file that belongs to this user or to root.
Result<OwnedTable> read_perf_map(const std::string& path);

}  // namespace tacho::symbols
