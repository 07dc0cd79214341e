// Says where a function's return address is while one of its instructions runs, from the call frame
// information of compilers (.eh_frame; DWARF 5, section 6.4).
#pragma once

#include <cstdint>
#include <memory>

#include "symbols/elf_file.hpp"

namespace tacho::symbols {

struct ReturnAddress {
  enum class Place : std::uint8_t {
    unknown,
    frame,         // in the function's own frame, where those who follow frame pointers find it
    stack,         // the function has no frame yet, none any more, or none at all: on the stack
    link_register  // the same, in this register
  };
  Place place = Place::unknown;
  std::uint64_t offset = 0;  // of `stack`: bytes above the stack pointer
};

class FrameTable {
 public:
  // Of 64-bit x86 and ARM. Others have no table: nothing is known. The file must outlive the table.
  static std::unique_ptr<FrameTable> of(const ElfFile&);

  virtual ~FrameTable() = default;
  FrameTable(const FrameTable&) = delete;
  FrameTable& operator=(const FrameTable&) = delete;

  // `address` as in the file's tables.
  virtual ReturnAddress at(std::uint64_t address) = 0;

 protected:
  FrameTable() = default;
};

}  // namespace tacho::symbols
