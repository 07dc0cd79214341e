// How much memory libdw keeps for a line table (DWARF 5, section 6.2). A byte of its program can be
// a row of 48 bytes, and each of its files gets a copy of the paths of two directories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tacho::symbols {

struct LineSections {
  std::span<const std::byte> lines, line_strings, strings;  // .debug_line, _line_str and _str
  bool big_endian = false;
};

struct LineUnit {
  std::uint64_t table = 0;           // its offset in .debug_line
  std::uint8_t address_size = 8;     // bytes
  std::uint64_t directory_size = 0;  // bytes of the path of the compiler's directory
};

// Bytes. Nullopt if the table is damaged.
std::optional<std::uint64_t> line_table_cost(const LineSections&, const LineUnit&);

}  // namespace tacho::symbols
