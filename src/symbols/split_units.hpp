// Finds the debug information of units that were compiled with -gsplit-dwarf: in a file of each
// (UNIT.dwo) or in a DWARF package (PROGRAM.dwp). libdw would open any file of the name that the
// program gives, and reads packages from elfutils 0.191 on. So tacho opens them, and each unit
// becomes an ELF file in memory.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "symbols/debug_sections.hpp"
#include "symbols/dwp_index.hpp"
#include "symbols/mapped_elf.hpp"

namespace tacho::symbols {

class SplitUnits {
 public:
  // `program` is the file with the skeletons of the units, open as `descriptor`. Both must outlive
  // this.
  SplitUnits(Elf* program, int descriptor);
  ~SplitUnits();
  SplitUnits(const SplitUnits&) = delete;
  SplitUnits& operator=(const SplitUnits&) = delete;

  // Adds a package. Fails if there is none at this path.
  Result<void> add_package(const std::string& path);
  // The unit that belongs to this skeleton, from a package that was added.
  std::optional<Dwarf_Die> packed_unit_of(const Dwarf_Die& skeleton);
  // The same from the unit's own file.
  Result<Dwarf_Die> unit_in_file(const Dwarf_Die& skeleton, const std::string& path);

  // Where the list of ranges (DW_AT_ranges) of an entry begins, and the address to which the ranges
  // are relative, as dwarf_ranges() takes them. Nullopt if the entry is not of a unit that was
  // found here, or has no list: dwarf_ranges() needs no help then.
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

  std::optional<Dwarf_Die> add_unit(const Dwarf_Die& skeleton, Elf* file, const DwpUnit&);
  std::vector<DebugSection> sections_of(Elf* file, const DwpUnit&, std::uint64_t address_base,
                                        Unit&) const;
  std::uint64_t word_at(std::span<const std::byte>, std::uint64_t at) const;

  Elf* program_;
  int descriptor_;
  bool big_ = false;
  std::vector<MappedElf> files_;  // the package, and files of units
  Elf* package_ = nullptr;
  std::optional<DwpIndex> index_;
  // Bytes that the parts of further units may have. Units of real packages do not share their
  // entries.
  std::uint64_t info_left_ = 0, abbreviations_left_ = 0;
  std::vector<std::byte> old_ranges_;  // .debug_ranges of the program, behind kPadding bytes
  std::list<Unit> units_;
  std::unordered_map<const Dwarf_CU*, const Unit*> by_unit_;
};

}  // namespace tacho::symbols
