// Finds the debug information of units that were compiled with -gsplit-dwarf in a DWARF package
// (PROGRAM.dwp). libdw reads packages from elfutils 0.191 on; for older ones, each unit of the
// package becomes an ELF file in memory.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fd.hpp"
#include "symbols/debug_sections.hpp"
#include "symbols/dwp_index.hpp"

namespace tacho::symbols {

class SplitUnits {
 public:
  // `program` is the file with the skeletons of the units, and must outlive this. Returns nullptr
  // if there is no such package.
  static std::unique_ptr<SplitUnits> open(const std::string& package, Elf* program);
  ~SplitUnits();
  SplitUnits(const SplitUnits&) = delete;
  SplitUnits& operator=(const SplitUnits&) = delete;

  // The unit that belongs to this skeleton.
  std::optional<Dwarf_Die> unit_of(const Dwarf_Die& skeleton);

  // Where the list of ranges (DW_AT_ranges) of an entry begins, and the address to which the ranges
  // are relative, as dwarf_ranges() takes them. Nullopt if the entry is not of a unit in the
  // package, or has no list: dwarf_ranges() needs no help then.
  struct RangeList {
    std::ptrdiff_t offset = 0;
    Dwarf_Addr base = 0;
  };
  std::optional<RangeList> range_list(Dwarf_Die*) const;

 private:
  struct Unit {
    ElfInMemory file;
    Dwarf* dwarf = nullptr;
    std::span<const std::byte> range_lists;  // of version 5
    bool old = false;                        // of version 4 or before
    std::uint64_t range_base = 0;            // version 4: DW_AT_GNU_ranges_base of the skeleton
    Dwarf_Addr low = 0;  // address of the unit's code; 0 if it has several parts
  };

  SplitUnits() = default;
  std::vector<DebugSection> sections_of(const DwpUnit&, std::uint64_t address_base, Unit&) const;
  std::span<const std::byte> part_of(const char* section, const Contribution&) const;
  std::uint64_t word_at(std::span<const std::byte>, std::uint64_t at) const;

  Fd fd_;
  OwnedElf package_;
  Elf* program_ = nullptr;
  bool big_ = false;
  std::optional<DwpIndex> index_;
  // Bytes that the parts of further units may have. Units of real packages do not share their
  // entries.
  std::uint64_t info_left_ = 0, abbreviations_left_ = 0;
  std::vector<std::byte> old_ranges_;  // .debug_ranges of the program, behind kPadding bytes
  std::list<Unit> units_;
  std::unordered_map<const Dwarf_CU*, const Unit*> by_unit_;
  std::unordered_map<const void*, std::optional<Dwarf_Die>> by_skeleton_;
};

}  // namespace tacho::symbols
