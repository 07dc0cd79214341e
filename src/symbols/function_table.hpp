// Finds functions by address: those of an ELF file, of the kernel or of a JIT compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

// The end of a function without a size that no known symbol follows: the end of its page.
std::uint64_t page_end(const Symbol& symbol);

// The names are views: the ElfFile or the text that has them must outlive the table.
class FunctionTable {
 public:
  FunctionTable() = default;
  // If several symbols have one address, keeps one of them, like other profilers. The order of
  // preference is: no label, has a size, not weak, global, fewer leading underscores, longer name.
  // A function without a size ends where the next one begins. Leaves out labels within a function
  // that has a size.
  explicit FunctionTable(std::vector<Symbol> symbols);
  // For symbols in the order in which they came into being: where they overlap, the later one
  // holds. Leaves out symbols without a size, and those that later ones cover completely.
  static FunctionTable of_latest(std::span<const Symbol> symbols);

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

}  // namespace tacho::symbols
