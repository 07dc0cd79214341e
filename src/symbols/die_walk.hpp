// Walks the entries of a DWARF unit in the order in which they are stored, and never back. So a
// walk takes time that is linear in the bytes of the unit, whatever a hostile file says. libdw
// follows DW_AT_sibling wherever it leads: 16 KB can keep it busy for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "symbols/abbreviations.hpp"

namespace tacho::symbols {

struct UnitBytes {
  std::span<const std::byte> bytes;  // from the unit's header on
  bool big_endian = false;
  UnitEncoding encoding;
  const Abbreviations* abbreviations = nullptr;
};

class DieWalk {
 public:
  // Begins with the entry at an offset in the unit, and ends with its last descendant. `unit` must
  // outlive the walk.
  DieWalk(const UnitBytes& unit, std::size_t first)
      : unit_(&unit), bytes_(unit.bytes, unit.big_endian) {
    bytes_.go_to(first);
  }

  // Goes to the next entry. False after the last one, and where the unit is damaged.
  bool next();
  // Leaves the descendants of the entry out. What tag() and others return is then undefined.
  void skip_children();

  std::uint64_t tag() const { return tag_; }
  std::size_t at() const { return at_; }  // the entry's offset in the unit
  int depth() const { return depth_; }    // of the entry: 0 for the first one
  bool is_damaged() const { return damaged_; }

 private:
  bool read_entry(std::uint64_t code);
  bool step();

  const UnitBytes* unit_ = nullptr;
  DwarfBytes bytes_;
  std::uint64_t tag_ = 0;
  std::size_t at_ = 0;
  std::uint64_t sibling_ = 0;  // where the next entry of this depth is said to be; 0: not known
  int depth_ = 0, next_depth_ = 0;
  bool began_ = false, at_entry_ = false, damaged_ = false;
};

}  // namespace tacho::symbols
