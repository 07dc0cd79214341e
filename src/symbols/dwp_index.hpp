// Reads the index of a DWARF package (.dwp), which has the debug information of all units that were
// compiled with -gsplit-dwarf (DWARF 5, section 7.3.5; GCC's wiki describes the older version 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tacho::symbols {

// The part of a section of the package that belongs to one unit.
struct Contribution {
  std::uint64_t offset = 0, size = 0;  // bytes; size 0: none
};
struct DwpUnit {
  Contribution info, abbreviations, string_offsets, range_lists;
};

class DwpIndex {
 public:
  // `section` is .debug_cu_index and must outlive the index. Returns nullopt if it is no index, or
  // if it is cut off.
  static std::optional<DwpIndex> parse(std::span<const std::byte> section, bool big_endian);

  // The unit with this ID (DW_AT_dwo_id); nullopt if the package does not have it.
  std::optional<DwpUnit> find(std::uint64_t id) const;

 private:
  std::uint64_t number(std::uint64_t at, std::size_t size) const;  // 0 after the end
  DwpUnit unit(std::uint64_t row) const;

  std::span<const std::byte> bytes_;
  bool big_ = false;
  std::uint64_t version_ = 0, columns_ = 0, units_ = 0, slots_ = 0;
};

}  // namespace tacho::symbols
