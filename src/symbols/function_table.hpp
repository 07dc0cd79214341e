// Finds functions by address: those of an ELF file, of the kernel (/proc/kallsyms) or of a JIT
// compiler (/tmp/perf-PID.map).
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
  std::string_view name;             // as in the symbol table: mangled
  bool thumb = false;
};

// The names are views: the ElfFile or the text that has them must outlive the table.
class FunctionTable {
 public:
  FunctionTable() = default;
  // If several symbols have one address, keeps one of them, like other profilers. The order of
  // preference is: no label, has a size, not weak, global, fewer leading underscores, longer name.
  // A function without a size ends where the next one begins. Leaves out labels within a function
  // that has a size.
  explicit FunctionTable(std::vector<Symbol> symbols);

  // The function that contains the address, the innermost of several; nullptr if there is none.
  const Function* at(std::uint64_t address) const;
  // The functions that a user may mean by this name (is_meant), mangled or not; by address.
  std::vector<const Function*> named(std::string_view name) const;
  bool empty() const { return functions_.empty(); }
  std::size_t size() const { return functions_.size(); }

 private:
  std::vector<Function> functions_;
  NestedRanges nested_;
};

// A table with the text that its names point into. The text keeps its address if the table moves.
struct OwnedTable {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
};

// The functions of the kernel and of its modules.
struct KernelFunctions {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
  // The addresses of _text and _stext; 0 if a symbol is missing. A recording has one of them.
  std::uint64_t text_start = 0, stext = 0;
};
// Fails if the file can't be read, or if the kernel hides the addresses from this user.
Result<KernelFunctions> read_kernel_functions(const std::string& path = "/proc/kallsyms");

// Parses a perf map, which has one line for each function: START SIZE NAME, with numbers in hex.
// Skips other lines.
OwnedTable parse_perf_map(std::string text);
// Fails if the file belongs neither to this user nor to root.
Result<OwnedTable> read_perf_map(const std::string& path);

}  // namespace tacho::symbols
