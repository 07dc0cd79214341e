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
#include "symbols/mapped_elf.hpp"

namespace tacho::symbols {

struct DebugSection {
  std::string name;
  std::span<const std::byte> bytes;
};

// The contents of a section; empty if the file has none of this name. Valid as long as the file.
std::span<const std::byte> section_bytes(Elf*, std::string_view name);

// Unpacks the debug sections that are compressed with zlib (SHF_COMPRESSED) in place.
void unpack_sections(Elf*);
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
// copied and must outlive it. `descriptor` is that of any file, which libelf wants; nothing is read
// from it.
ElfInMemory elf_of(std::span<const DebugSection>, Elf* like, int descriptor);

}  // namespace tacho::symbols
