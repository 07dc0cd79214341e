#include "symbols/mapped_elf.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "base/regular_file.hpp"
#include "symbols/file_data.hpp"

namespace tacho::symbols {

GuardedMapping guard_mapping_of(Elf* elf, int descriptor, const std::string& path) {
  std::size_t size = 0;
  const char* const start = elf_rawfile(elf, &size);
  return {start, size, descriptor, path};
}

Result<MappedElf> map_elf(const std::string& path) {
  RegularFile file = TACHO_TRY(open_regular_file(path, "/", Links::safe));
  elf_version(EV_CURRENT);
  MappedElf mapped;
  mapped.fd = std::move(file.fd);
  mapped.elf.reset(elf_begin(mapped.fd.get(), ELF_C_READ_MMAP, nullptr));
  if (!mapped.elf || elf_kind(mapped.elf.get()) != ELF_K_ELF)
    return failure(fmt::format("'{}' is no ELF file", path));
  mapped.data = data_bytes(mapped.fd.get(), file.size);
  mapped.guard = guard_mapping_of(mapped.elf.get(), mapped.fd.get(), path);
  return mapped;
}

}  // namespace tacho::symbols
