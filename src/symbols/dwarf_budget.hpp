// How much memory the debug information of a file may take. The limit comes from the bytes of the
// file, so that a small file can't fill the memory. Real files stay far below it.
#pragma once

#include <atomic>
#include <cstdint>

namespace tacho::symbols {

class DwarfBudget {
 public:
  DwarfBudget() = default;
  // `data` is the number of bytes of the file that are not in holes, with its debug information
  // unpacked.
  explicit DwarfBudget(std::uint64_t data) : left_(2 * data) {}
  ~DwarfBudget() { shared += of_shared_; }
  DwarfBudget(const DwarfBudget&) = delete;
  DwarfBudget& operator=(const DwarfBudget&) = delete;

  // The debug information of a unit is in another file.
  void add_data(std::uint64_t bytes) { left_ += 2 * bytes; }

  // Each says whether there is enough left. If not, takes nothing, and the caller leaves this part
  // out.
  bool take_unit() { return take(kUnit); }
  bool take_range() { return left_ + shared > kReserve && take(kRange); }
  bool take_scope() { return take_range(); }
  bool take_name(std::uint64_t bytes) { return take(bytes); }
  bool take_table(std::uint64_t bytes) { return take(bytes * kTableByte); }
  // `cost` is from line_table_cost(). While libdw reads a table, it takes more than it keeps.
  bool take_lines(std::uint64_t cost) { return left_ + shared >= cost / 2 * 5 && take(cost); }

  // Counts the parts that are left out.
  void leave_out() { ++left_out_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  // Bytes for a unit (libdw: Dwarf_CU), for a scope or a range of addresses (tacho: scope_tree.hpp
  // and nested_ranges.hpp), and for a byte of a table of abbreviations (libdw: Dwarf_Abbrev, in a
  // hash table for each unit). From the structures of elfutils 0.188.
  static constexpr std::uint64_t kUnit = 512, kRange = 80, kTableByte = 16;
  // Bytes that scopes leave to lines and names.
  static constexpr std::uint64_t kReserve = 50 << 20;
  // Bytes that all files can take together besides, whatever their size. ARMv6 has no atomic
  // numbers of 64 bits.
  static inline std::atomic<std::uint32_t> shared{std::uint32_t{150} << 20};

  bool take(std::uint64_t bytes) {
    const std::uint64_t of_own = bytes < left_ ? bytes : left_;
    const std::uint64_t rest = bytes - of_own;
    std::uint32_t had = shared;
    do
      if (rest > had) return false;
    while (!shared.compare_exchange_weak(had, static_cast<std::uint32_t>(had - rest)));
    left_ -= of_own;
    of_shared_ += static_cast<std::uint32_t>(rest);
    return true;
  }

  std::uint64_t left_ = 0, left_out_ = 0;
  std::uint32_t of_shared_ = 0;
};

}  // namespace tacho::symbols
