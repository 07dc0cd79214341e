#include "symbols/dwp_index.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint64_t kHeader = 16;  // bytes: version, columns, units, slots
constexpr std::uint64_t kSlot = 12;    // bytes: an ID in one table, the unit's row in the next
constexpr std::uint64_t kCell = 4;     // bytes: an offset or a size

// DW_SECT_*: what a column is about. Range lists came with version 5; 8 was another section before.
enum Column : std::uint64_t { kInfo = 1, kAbbreviations = 3, kStringOffsets = 6, kRangeLists = 8 };

}  // namespace

std::uint64_t DwpIndex::number(std::uint64_t at, std::size_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t from = static_cast<std::size_t>(at) + (big_ ? i : size - 1 - i);
    value = value << 8 | std::to_integer<std::uint64_t>(bytes_[from]);
  }
  return value;
}

std::optional<DwpIndex> DwpIndex::parse(std::span<const std::byte> section, bool big_endian) {
  DwpIndex index;
  index.bytes_ = section;
  index.big_ = big_endian;
  // Version 2 has four bytes for it, version 5 two and padding.
  index.version_ = index.number(0, 4) == 2 ? 2 : index.number(0, 2);
  index.columns_ = index.number(4, 4);
  index.units_ = index.number(8, 4);
  index.slots_ = index.number(12, 4);
  // All are below 2^32, so that the products fit into 64 bits.
  constexpr std::uint64_t kMostColumns = 64;
  const bool known = index.version_ == 2 || index.version_ == 5;
  const bool hashed = index.slots_ > 0 && (index.slots_ & (index.slots_ - 1)) == 0;
  if (!known || !hashed || index.columns_ == 0 || index.columns_ > kMostColumns)
    return std::nullopt;
  const std::uint64_t tables = index.columns_ * kCell * (2 * index.units_ + 1);
  if (kHeader + index.slots_ * kSlot + tables > section.size()) return std::nullopt;
  return index;
}

// The table of slots is a hash table with open addressing. A slot without a row is empty.
std::optional<DwpUnit> DwpIndex::find(std::uint64_t id) const {
  const std::uint64_t mask = slots_ - 1;
  const std::uint64_t step = ((id >> 32) & mask) | 1;
  std::uint64_t slot = id & mask;
  for (std::uint64_t tried = 0; tried < slots_; ++tried, slot = (slot + step) & mask) {
    const std::uint64_t row = number(kHeader + slots_ * 8 + slot * kCell, kCell);
    if (row == 0 || row > units_) return std::nullopt;
    if (number(kHeader + slot * 8, 8) == id) return unit(row);
  }
  return std::nullopt;
}

// After the slots come a row of column names, a row of offsets for each unit, and a row of sizes
// for each unit. Rows count from 1.
DwpUnit DwpIndex::unit(std::uint64_t row) const {
  const std::uint64_t names = kHeader + slots_ * kSlot;
  const std::uint64_t width = columns_ * kCell;
  DwpUnit unit;
  for (std::uint64_t column = 0; column < columns_; ++column) {
    const std::uint64_t at = names + column * kCell;
    const Contribution part{.offset = number(at + row * width, kCell),
                            .size = number(at + (row + units_) * width, kCell)};
    switch (number(at, kCell)) {
      case kInfo:
        unit.info = part;
        break;
      case kAbbreviations:
        unit.abbreviations = part;
        break;
      case kStringOffsets:
        unit.string_offsets = part;
        break;
      case kRangeLists:
        if (version_ == 5) unit.range_lists = part;
        break;
      default:
        break;
    }
  }
  return unit;
}

}  // namespace tacho::symbols
