#include "symbols/split_units.hpp"

#include <dwarf.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace tacho::symbols {
namespace {

// dwarf_ranges() takes an offset of 0 or 1 for something else. So no list may begin there.
constexpr std::size_t kPadding = 16;
constexpr std::uint64_t kListsHeader = 12;  // bytes of .debug_rnglists, in 32-bit DWARF
// The size of a contribution that is a section as a whole.
constexpr std::uint64_t kWhole = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_of(Dwarf_Die die, unsigned name, unsigned older_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  for (const unsigned each : {name, older_name})
    if (dwarf_formudata(dwarf_attr(&die, each, &attribute), &word) == 0) return word;
  return 0;
}

std::uint64_t id_of(const Dwarf_Die& skeleton) {
  std::uint64_t id = 0;
  dwarf_cu_info(skeleton.cu, nullptr, nullptr, nullptr, nullptr, &id, nullptr, nullptr);
  return id;
}

// A number of 7 bits a byte, whose last byte has no bit 7 (LEB128). Fails after 10 bytes: libdw has
// checked that the attribute ends within its section.
std::optional<std::uint64_t> leb128(const unsigned char* at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    value |= static_cast<std::uint64_t>(*at & 0x7f) << shift;
    if ((*at++ & 0x80) == 0) return value;
  }
  return std::nullopt;
}

}  // namespace

SplitUnits::~SplitUnits() {
  for (const Unit& each : units_) dwarf_end(each.dwarf);
}

SplitUnits::SplitUnits(Elf* program, int descriptor) : program_(program), descriptor_(descriptor) {
  GElf_Ehdr header;
  big_ = gelf_getehdr(program, &header) != nullptr && header.e_ident[EI_DATA] == ELFDATA2MSB;
  const auto ranges = section_bytes(program, ".debug_ranges");
  old_ranges_.resize(kPadding);
  old_ranges_.insert(old_ranges_.end(), ranges.begin(), ranges.end());
}

Result<void> SplitUnits::add_package(const std::string& path) {
  MappedElf file = TACHO_TRY(map_elf(path));
  std::ignore = TACHO_TRY(size_of_debug_sections(file.elf.get(), file.data));
  index_ = DwpIndex::parse(section_bytes(file.elf.get(), ".debug_cu_index"), big_);
  if (!index_) return failure(fmt::format("'{}' is no DWARF package", path));
  package_ = file.elf.get();
  constexpr std::uint64_t kShared = 64;  // most units that were compiled together
  info_left_ = section_bytes(package_, ".debug_info.dwo").size();
  abbreviations_left_ = kShared * section_bytes(package_, ".debug_abbrev.dwo").size();
  files_.push_back(std::move(file));
  return {};
}

std::uint64_t SplitUnits::word_at(std::span<const std::byte> bytes, std::uint64_t at) const {
  constexpr std::size_t kBytes = 4;  // in 32-bit DWARF
  if (at > bytes.size() || kBytes > bytes.size() - at) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kBytes; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(
                             bytes[static_cast<std::size_t>(at) + (big_ ? i : kBytes - 1 - i)]);
  return value;
}

// Named as in a file that is not split. So libdw also takes the addresses, which are in the program
// alone.
std::vector<DebugSection> SplitUnits::sections_of(Elf* file, const DwpUnit& parts,
                                                  std::uint64_t address_base, Unit& unit) const {
  const auto part_of = [&](const char* section, const Contribution& part) {
    const auto whole = section_bytes(file, section);
    const auto start = static_cast<std::size_t>(std::min<std::uint64_t>(part.offset, whole.size()));
    if (part.size == kWhole) return whole;
    if (part.size > whole.size() - start) return std::span<const std::byte>();
    return whole.subspan(start, static_cast<std::size_t>(part.size));
  };
  const auto addresses = section_bytes(program_, ".debug_addr");
  unit.range_lists = part_of(".debug_rnglists.dwo", parts.range_lists);
  return {{".debug_info", part_of(".debug_info.dwo", parts.info)},
          {".debug_abbrev", part_of(".debug_abbrev.dwo", parts.abbreviations)},
          {".debug_str", section_bytes(file, ".debug_str.dwo")},
          {".debug_str_offsets", part_of(".debug_str_offsets.dwo", parts.string_offsets)},
          {".debug_addr", addresses.subspan(static_cast<std::size_t>(
                              std::min<std::uint64_t>(address_base, addresses.size())))},
          {".debug_rnglists", unit.range_lists},
          {".debug_ranges", old_ranges_}};
}

std::optional<Dwarf_Die> SplitUnits::add_unit(const Dwarf_Die& skeleton, Elf* file,
                                              const DwpUnit& parts) {
  Unit& unit = units_.emplace_back();
  const auto sections =
      sections_of(file, parts, number_of(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base), unit);
  unit.file = elf_of(sections, program_, descriptor_);
  if (unit.file.elf) unit.dwarf = dwarf_begin_elf(unit.file.elf.get(), DWARF_C_READ, nullptr);
  if (unit.dwarf == nullptr) return std::nullopt;
  // A file may have units of types beside the one of the code.
  Dwarf_CU* of_file = nullptr;
  Dwarf_Die die;
  Dwarf_Half version = 0;
  const auto next = [&] {
    return dwarf_get_units(unit.dwarf, of_file, &of_file, &version, nullptr, &die, nullptr) == 0;
  };
  while (next()) {
    std::uint64_t id = 0;
    std::uint8_t kind = 0;
    dwarf_cu_info(of_file, nullptr, &kind, nullptr, nullptr, &id, nullptr, nullptr);
    if ((kind != DW_UT_split_compile && version >= 5) || id != id_of(skeleton)) continue;
    unit.old = version < 5;
    unit.range_base = number_of(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base);
    Dwarf_Die copy = skeleton;
    dwarf_lowpc(&copy, &unit.low);
    by_unit_[of_file] = &unit;
    return die;
  }
  return std::nullopt;
}

std::optional<Dwarf_Die> SplitUnits::packed_unit_of(const Dwarf_Die& skeleton) {
  const auto parts = index_ ? index_->find(id_of(skeleton)) : std::nullopt;
  if (!parts || parts->info.size > info_left_ || parts->abbreviations.size > abbreviations_left_)
    return std::nullopt;
  info_left_ -= parts->info.size;
  abbreviations_left_ -= parts->abbreviations.size;
  return add_unit(skeleton, package_, *parts);
}

Result<Dwarf_Die> SplitUnits::unit_in_file(const Dwarf_Die& skeleton, const std::string& path) {
  MappedElf file = TACHO_TRY(map_elf(path));
  std::ignore = TACHO_TRY(size_of_debug_sections(file.elf.get(), file.data));
  unpack_sections(file.elf.get());
  // A program may have thousands of units: descriptors would run out.
  elf_cntl(file.elf.get(), ELF_C_FDDONE);
  file.fd.reset();
  constexpr Contribution kAll{.offset = 0, .size = kWhole};
  const auto unit =
      add_unit(skeleton, file.elf.get(),
               {.info = kAll, .abbreviations = kAll, .string_offsets = kAll, .range_lists = kAll});
  files_.push_back(std::move(file));
  if (!unit) return failure(fmt::format("'{}' is of another build", path));
  return *unit;
}

std::optional<SplitUnits::RangeList> SplitUnits::range_list(Dwarf_Die* die) const {
  const auto found = by_unit_.find(die->cu);
  Dwarf_Attribute ranges;
  if (found == by_unit_.end() || dwarf_attr(die, DW_AT_ranges, &ranges) == nullptr)
    return std::nullopt;
  const Unit& unit = *found->second;
  const unsigned form = dwarf_whatform(&ranges);
  std::uint64_t offset = 0;
  if (form == DW_FORM_rnglistx) {  // the index of a list
    const auto index = leb128(ranges.valp);
    if (!index || *index > unit.range_lists.size()) return std::nullopt;
    offset = kListsHeader + word_at(unit.range_lists, kListsHeader + *index * 4);
  } else if (form == DW_FORM_sec_offset) {
    offset = word_at(std::as_bytes(std::span(ranges.valp, 4)), 0);
    if (unit.old) offset += kPadding + unit.range_base;
  } else {
    return std::nullopt;
  }
  return RangeList{static_cast<std::ptrdiff_t>(offset), unit.low};
}

}  // namespace tacho::symbols
