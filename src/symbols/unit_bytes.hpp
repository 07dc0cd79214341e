// The bytes of DWARF units as libdw has them, for a walk of their entries; and checks of a file
// before libdw reads its units.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/result.hpp"
#include "symbols/abbreviations.hpp"
#include "symbols/die_walk.hpp"
#include "symbols/dwarf_budget.hpp"

namespace tacho::symbols {

// A unit, its first entry, and where the unit is in memory.
struct WalkedUnit {
  UnitBytes bytes;
  Dwarf_Die die{};
  unsigned char* begin = nullptr;

  std::size_t offset_of(const Dwarf_Die& of) const {
    return static_cast<std::size_t>(static_cast<unsigned char*>(of.addr) - begin);
  }
  Dwarf_Die die_at(std::size_t offset) const {
    Dwarf_Die made{};
    made.addr = begin + offset;
    made.cu = die.cu;
    return made;
  }
};

// Fails if the units or their first entries would take more than the budget. libdw reads the first
// entry of each unit when it lists them.
Result<void> check_units(Dwarf*, DwarfBudget&);

class WalkedUnits {
 public:
  // The unit with this first entry. Nullptr if it is damaged or takes more than the budget.
  const WalkedUnit* unit_of(const Dwarf_Die& die, DwarfBudget&);

 private:
  bool read(Dwarf_Die die, WalkedUnit&, DwarfBudget&);
  const Abbreviations* table_at(std::span<const std::byte> section, std::uint64_t offset,
                                DwarfBudget&);

  std::unordered_map<const void*, std::unique_ptr<WalkedUnit>> units_;  // by the address of the DIE
  std::unordered_map<const void*, std::unique_ptr<Abbreviations>> tables_;  // by address
};

}  // namespace tacho::symbols
