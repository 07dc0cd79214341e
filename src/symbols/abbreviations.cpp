#include "symbols/abbreviations.hpp"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace tacho::symbols {
namespace {

constexpr std::uint32_t kMostAttributes = 256;  // of an abbreviation; compilers write up to 30

// Bytes of the forms of fixed size; 0 for others.
std::size_t size_of(std::uint64_t form) {
  switch (form) {
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sup8:
    case DW_FORM_ref_sig8:
      return 8;
    default:
      return 0;
  }
}

// Bytes of the forms whose size depends on the unit; 0 for others.
std::size_t size_in_unit(std::uint64_t form, const UnitEncoding& unit) {
  switch (form) {
    case DW_FORM_addr:
      return unit.address_size;
    case DW_FORM_ref_addr:
      return unit.version < 3 ? unit.address_size : unit.offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return unit.offset_size;
    default:
      return 0;
  }
}

// The bytes before a block that say how long it is; 0 if it is no block, 10 if it is a LEB128.
std::size_t length_of_block(std::uint64_t form) {
  switch (form) {
    case DW_FORM_block1:
      return 1;
    case DW_FORM_block2:
      return 2;
    case DW_FORM_block4:
      return 4;
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return 10;
    default:
      return 0;
  }
}

}  // namespace

void DwarfBytes::go_to(std::size_t at) {
  good_ = good_ && at <= bytes_.size();
  if (good_) at_ = at;
}

void DwarfBytes::skip(std::uint64_t count) {
  good_ = good_ && count <= left();
  if (good_) at_ += static_cast<std::size_t>(count);
}

std::uint64_t DwarfBytes::number(std::size_t size) {
  const std::size_t from = at_;
  skip(size);
  if (!good_) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes_[from + (big_ ? i : size - 1 - i)]);
  return value;
}

std::uint64_t DwarfBytes::leb128() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; good_; shift += 7) {
    const std::uint64_t byte = number(1);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

std::span<const std::byte> DwarfBytes::text() {
  const auto rest = bytes_.subspan(at_);
  const auto length = std::ranges::find(rest, std::byte{0}) - rest.begin();
  skip(static_cast<std::uint64_t>(length) + 1);
  return good_ ? rest.first(static_cast<std::size_t>(length)) : std::span<const std::byte>();
}

std::optional<std::uint64_t> read_form(DwarfBytes& bytes, std::uint64_t form,
                                       const UnitEncoding& unit) {
  if (form == DW_FORM_indirect) form = bytes.leb128();
  if (const std::size_t size = size_of(form)) return bytes.number(size);
  if (const std::size_t size = size_in_unit(form, unit)) return bytes.number(size);
  if (const std::size_t length = length_of_block(form)) {
    bytes.skip(length == 10 ? bytes.leb128() : bytes.number(length));
    return 0;
  }
  switch (form) {
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return bytes.leb128();
    case DW_FORM_string:
      bytes.text();
      return 0;
    case DW_FORM_data16:
      bytes.skip(16);
      return 0;
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return 0;
    default:
      return std::nullopt;
  }
}

std::optional<Abbreviations> Abbreviations::parse(std::span<const std::byte> section,
                                                  std::uint64_t offset, std::uint64_t last) {
  if (offset > section.size()) return std::nullopt;
  DwarfBytes bytes(section.subspan(static_cast<std::size_t>(offset)), false);
  Abbreviations made;
  while (const std::uint64_t code = bytes.leb128()) {
    Declaration declaration{code, bytes.leb128(), bytes.number(1) != 0,
                            static_cast<std::uint32_t>(made.attributes_.size()), 0};
    for (;; ++declaration.count) {
      const Attribute attribute{bytes.leb128(), bytes.leb128()};
      if (attribute.form == DW_FORM_implicit_const) bytes.leb128();
      if (attribute.name == 0 && attribute.form == 0) break;
      if (!bytes.good() || declaration.count == kMostAttributes) return std::nullopt;
      made.attributes_.push_back(attribute);
    }
    made.declarations_.push_back(declaration);
    if (code == last) break;
  }
  if (!bytes.good()) return std::nullopt;
  std::ranges::stable_sort(made.declarations_, {}, &Declaration::code);
  made.bytes_ = bytes.at();
  return made;
}

const Abbreviations::Declaration* Abbreviations::find(std::uint64_t code) const {
  // Most compilers number them from 1.
  if (code - 1 < declarations_.size())
    if (const Declaration& usual = declarations_[static_cast<std::size_t>(code - 1)];
        usual.code == code)
      return &usual;
  const auto found = std::ranges::lower_bound(declarations_, code, {}, &Declaration::code);
  return found == declarations_.end() || found->code != code ? nullptr : &*found;
}

}  // namespace tacho::symbols
