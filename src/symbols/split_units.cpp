#include "symbols/split_units.hpp"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>

#include "symbols/file_data.hpp"

namespace tacho::symbols {
namespace {

// dwarf_ranges() takes an offset of 0 or 1 for something else. So no list may begin there.
constexpr std::size_t kPadding = 16;
constexpr std::uint64_t kListsHeader = 12;  // bytes of .debug_rnglists, in 32-bit DWARF

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

std::unique_ptr<SplitUnits> SplitUnits::open(const std::string& package, Elf* program) {
  std::unique_ptr<SplitUnits> made(new SplitUnits());
  made->fd_ = Fd(::open(package.c_str(), O_RDONLY | O_CLOEXEC));
  if (!made->fd_) return nullptr;
  made->package_.reset(elf_begin(made->fd_.get(), ELF_C_READ_MMAP, nullptr));
  GElf_Ehdr header;
  if (!made->package_ || gelf_getehdr(made->package_.get(), &header) == nullptr) return nullptr;
  struct stat status{};
  if (::fstat(made->fd_.get(), &status) != 0 ||
      !size_of_debug_sections(
          made->package_.get(),
          data_bytes(made->fd_.get(), static_cast<std::uint64_t>(status.st_size))))
    return nullptr;
  made->program_ = program;
  made->big_ = header.e_ident[EI_DATA] == ELFDATA2MSB;
  made->index_ =
      DwpIndex::parse(section_bytes(made->package_.get(), ".debug_cu_index"), made->big_);
  if (!made->index_) return nullptr;
  made->info_left_ = section_bytes(made->package_.get(), ".debug_info.dwo").size();
  constexpr std::uint64_t kShared = 64;  // most units that were compiled together
  made->abbreviations_left_ =
      kShared * section_bytes(made->package_.get(), ".debug_abbrev.dwo").size();
  const auto ranges = section_bytes(program, ".debug_ranges");
  made->old_ranges_.resize(kPadding);
  made->old_ranges_.insert(made->old_ranges_.end(), ranges.begin(), ranges.end());
  return made;
}

std::span<const std::byte> SplitUnits::part_of(const char* section,
                                               const Contribution& part) const {
  const auto whole = section_bytes(package_.get(), section);
  if (part.offset > whole.size() || part.size > whole.size() - part.offset) return {};
  return whole.subspan(static_cast<std::size_t>(part.offset), static_cast<std::size_t>(part.size));
}

std::uint64_t SplitUnits::word_at(std::span<const std::byte> bytes, std::uint64_t at) const {
  constexpr std::size_t kWord = 4;  // bytes, in 32-bit DWARF
  if (at > bytes.size() || kWord > bytes.size() - at) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(
                             bytes[static_cast<std::size_t>(at) + (big_ ? i : kWord - 1 - i)]);
  return value;
}

// Named as in a file that is not split. So libdw also takes the addresses, which are in the program
// alone.
std::vector<DebugSection> SplitUnits::sections_of(const DwpUnit& parts, std::uint64_t address_base,
                                                  Unit& unit) const {
  const auto addresses = section_bytes(program_, ".debug_addr");
  unit.range_lists = part_of(".debug_rnglists.dwo", parts.range_lists);
  return {{".debug_info", part_of(".debug_info.dwo", parts.info)},
          {".debug_abbrev", part_of(".debug_abbrev.dwo", parts.abbreviations)},
          {".debug_str", section_bytes(package_.get(), ".debug_str.dwo")},
          {".debug_str_offsets", part_of(".debug_str_offsets.dwo", parts.string_offsets)},
          {".debug_addr", addresses.subspan(static_cast<std::size_t>(
                              std::min<std::uint64_t>(address_base, addresses.size())))},
          {".debug_rnglists", unit.range_lists},
          {".debug_ranges", old_ranges_}};
}

std::optional<Dwarf_Die> SplitUnits::unit_of(const Dwarf_Die& skeleton) {
  const auto [found, fresh] = by_skeleton_.try_emplace(skeleton.addr);
  if (!fresh) return found->second;
  const auto parts = index_->find(id_of(skeleton));
  if (!parts || parts->info.size > info_left_ || parts->abbreviations.size > abbreviations_left_)
    return std::nullopt;
  info_left_ -= parts->info.size;
  abbreviations_left_ -= parts->abbreviations.size;
  Unit& unit = units_.emplace_back();
  const auto sections =
      sections_of(*parts, number_of(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base), unit);
  unit.file = elf_of(sections, program_, fd_.get());
  if (unit.file.elf) unit.dwarf = dwarf_begin_elf(unit.file.elf.get(), DWARF_C_READ, nullptr);
  Dwarf_CU* of_file = nullptr;
  Dwarf_Die die;
  if (unit.dwarf == nullptr ||
      dwarf_get_units(unit.dwarf, nullptr, &of_file, nullptr, nullptr, &die, nullptr) != 0)
    return std::nullopt;
  Dwarf_Half version = 0;
  dwarf_cu_info(of_file, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  unit.old = version < 5;
  unit.range_base = number_of(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base);
  Dwarf_Die copy = skeleton;
  dwarf_lowpc(&copy, &unit.low);
  by_unit_[of_file] = &unit;
  return found->second = die;
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
