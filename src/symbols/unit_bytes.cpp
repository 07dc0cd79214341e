#include "symbols/unit_bytes.hpp"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "symbols/debug_sections.hpp"
#include "symbols/dwp_index.hpp"

namespace tacho::symbols {
namespace {

struct SectionPair {
  const char* info;
  const char* abbreviations;
};
constexpr std::array kPairs = {SectionPair{".debug_info", ".debug_abbrev"},
                               SectionPair{".debug_info.dwo", ".debug_abbrev.dwo"},
                               SectionPair{".zdebug_info", ".zdebug_abbrev"},
                               SectionPair{".debug_types", ".debug_abbrev"},
                               SectionPair{".zdebug_types", ".zdebug_abbrev"}};

struct Header {
  Dwarf_Off at = 0, next = 0, abbreviations = 0;
  std::size_t size = 0;  // bytes of the header
  UnitEncoding encoding;
};

// The header of the unit at an offset. `types` is for .debug_types of DWARF 4.
bool read_header(Dwarf* dwarf, Dwarf_Off at, bool types, Header& to) {
  Dwarf_Half version = 0;
  std::uint64_t signature = 0;
  Dwarf_Off of_type = 0;
  to.at = at;
  if (dwarf_next_unit(dwarf, at, &to.next, &to.size, &version, &to.abbreviations,
                      &to.encoding.address_size, &to.encoding.offset_size,
                      types ? &signature : nullptr, types ? &of_type : nullptr) != 0)
    return false;
  to.encoding.version = version;
  return true;
}

// Where the abbreviations of units in a package of split debug information begin, if libdw knows
// packages (elfutils 0.191).
std::uint64_t base_in_package(Elf* elf, const Dwarf_Die& die, bool big) {
  const auto index = DwpIndex::parse(section_bytes(elf, ".debug_cu_index"), big);
  std::uint64_t id = 0;
  if (!index ||
      dwarf_cu_info(die.cu, nullptr, nullptr, nullptr, nullptr, &id, nullptr, nullptr) != 0)
    return 0;
  const auto unit = index->find(id);
  return unit ? unit->abbreviations.offset : 0;
}

bool is_big_endian(Elf* elf) {
  std::size_t size = 0;
  const char* ident = elf_getident(elf, &size);
  return ident != nullptr && size > EI_DATA && ident[EI_DATA] == ELFDATA2MSB;
}

// Whether the units of a section, and what libdw reads of each when it lists them, stay within the
// budget.
bool list_is_good(Dwarf* dwarf, bool types, std::span<const std::byte> info,
                  std::span<const std::byte> abbreviations, DwarfBudget& budget) {
  Header header;
  for (Dwarf_Off at = 0; read_header(dwarf, at, types, header) && header.next > at;
       at = header.next) {
    if (!budget.take_unit()) return false;
    DwarfBytes bytes(info, false);
    bytes.skip(at + header.size);
    const std::uint64_t code = bytes.leb128();
    if (!bytes.good() || code == 0) continue;
    const auto table = Abbreviations::parse(abbreviations, header.abbreviations, code);
    if (!table || table->find(code) == nullptr || !budget.take_table(table->bytes())) return false;
  }
  return true;
}

}  // namespace

Result<void> check_units(Dwarf* dwarf, DwarfBudget& budget) {
  Elf* elf = dwarf_getelf(dwarf);
  for (const SectionPair& pair : kPairs) {
    const auto info = section_bytes(elf, pair.info);
    if (info.empty()) continue;
    const bool types = std::string_view(pair.info).ends_with("types");
    if (!list_is_good(dwarf, types, info, section_bytes(elf, pair.abbreviations), budget))
      return failure("its units are damaged, or have too many abbreviations");
  }
  return {};
}

const Abbreviations* WalkedUnits::table_at(std::span<const std::byte> section, std::uint64_t offset,
                                           DwarfBudget& budget) {
  if (offset > section.size()) return nullptr;
  const auto [found, fresh] = tables_.try_emplace(section.data() + offset);
  if (fresh)
    if (auto table = Abbreviations::parse(section, offset))
      found->second = std::make_unique<Abbreviations>(std::move(*table));
  // libdw makes a table of its own for each unit.
  if (found->second == nullptr || !budget.take_table(found->second->bytes())) return nullptr;
  return found->second.get();
}

bool WalkedUnits::read(Dwarf_Die die, WalkedUnit& unit, DwarfBudget& budget) {
  Dwarf* dwarf = dwarf_cu_getdwarf(die.cu);
  const Dwarf_Off in_unit = dwarf_cuoffset(&die);
  Header header;
  if (dwarf == nullptr || !read_header(dwarf, dwarf_dieoffset(&die) - in_unit, false, header))
    return false;
  Elf* elf = dwarf_getelf(dwarf);
  unit.die = die;
  unit.begin = static_cast<unsigned char*>(die.addr) - in_unit;
  unit.bytes.big_endian = is_big_endian(elf);
  unit.bytes.encoding = header.encoding;
  for (const SectionPair& pair : kPairs) {
    const auto info = section_bytes(elf, pair.info);
    const auto* begin = reinterpret_cast<const std::byte*>(unit.begin);
    if (info.empty() || begin < info.data() || begin >= info.data() + info.size()) continue;
    const auto rest = info.subspan(static_cast<std::size_t>(begin - info.data()));
    unit.bytes.bytes = rest.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), header.next - header.at)));
    const std::uint64_t base = base_in_package(elf, die, unit.bytes.big_endian);
    unit.bytes.abbreviations =
        table_at(section_bytes(elf, pair.abbreviations), base + header.abbreviations, budget);
  }
  return unit.bytes.abbreviations != nullptr;
}

const WalkedUnit* WalkedUnits::unit_of(const Dwarf_Die& die, DwarfBudget& budget) {
  const auto [found, fresh] = units_.try_emplace(die.addr);
  if (fresh) {
    auto unit = std::make_unique<WalkedUnit>();
    if (read(die, *unit, budget))
      found->second = std::move(unit);
    else
      budget.leave_out();
  }
  return found->second.get();
}

}  // namespace tacho::symbols
