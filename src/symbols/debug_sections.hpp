// Debug sections as libdw needs them: put together to an ELF file that exists in memory only.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using OwnedElf = std::unique_ptr<Elf, EndElf>;

struct DebugSection {
  std::string name;
  std::span<const std::byte> bytes;
};

// The contents of a section; empty if the file has none of this name. Valid as long as the file.
std::span<const std::byte> section_bytes(Elf*, std::string_view name);

// The size of the debug sections once they are unpacked, in bytes. Fails if they are larger than
// the `data` bytes of the file that are not in holes, or if they unpack to more than
// most_unpacked(). libelf itself lets a section grow 1032 times.
Result<std::uint64_t> size_of_debug_sections(Elf*, std::uint64_t data);

bool has_zstd_sections(Elf*);
// The debug sections of a file. Sections that are compressed with zstd are unpacked into
// `unpacked`; libdw of elfutils before 0.189 can't do that. Fails if one is damaged.
Result<std::vector<DebugSection>> unpacked_sections(Elf*,
                                                    std::list<std::vector<std::byte>>& unpacked);

struct ElfInMemory {
  std::unique_ptr<std::string> names;  // of the sections
  OwnedElf elf;                        // ends before the names do; nullptr if libelf refused
};
// An ELF file of the same class and byte order as `like`, with these sections. Their bytes are not
// copied and must outlive it. `descriptor` is that of a file whose directory libdw looks into for
// .dwo files; nothing is read from it.
ElfInMemory elf_of(std::span<const DebugSection>, Elf* like, int descriptor);

}  // namespace tacho::symbols
