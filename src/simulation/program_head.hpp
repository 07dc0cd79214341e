// The start of a program's file, and the ELF structures in it.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tacho {

// As much as Valgrind reads: headers and "#!" lines. Empty if this is no regular file: an
// executable FIFO would wait for its writer.
std::string head_of(const std::string& file);

inline bool is_elf(std::string_view head) {
  return head.size() > EI_CLASS && head.starts_with(ELFMAG);
}

// A structure of the file at this offset.
template <class Part>
std::optional<Part> part_at(std::string_view head, std::uint64_t offset) {
  if (offset > head.size() || head.size() - offset < sizeof(Part)) return std::nullopt;
  Part part;
  std::memcpy(&part, head.data() + offset, sizeof part);
  return part;
}

}  // namespace tacho
