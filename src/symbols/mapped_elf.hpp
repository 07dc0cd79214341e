// An ELF file in libelf's hands. tacho itself opens each file that libelf and libdw read: those
// open whatever has the name, also a FIFO, and let a workload inherit it.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "symbols/guarded_mapping.hpp"

namespace tacho::symbols {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OwnedElf = std::unique_ptr<Elf, EndElf>;

struct MappedElf {
  Fd fd;
  OwnedElf elf;
  GuardedMapping guard;    // ends before the mapping does
  std::uint64_t data = 0;  // bytes that are not in holes
};

// Fails unless it is a regular file (open_regular_file, Links::safe) that libelf reads.
Result<MappedElf> map_elf(const std::string& path);

// Guards the mapping that libelf made of the file that is open as `descriptor`.
GuardedMapping guard_mapping_of(Elf*, int descriptor, const std::string& path);

}  // namespace tacho::symbols
