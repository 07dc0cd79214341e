#include "symbols/debug_sections.hpp"

#include <fmt/format.h>
#include <gelf.h>

#include <cstdint>

#include "symbols/unpack.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, which older headers do not have

std::string_view name_of_section(Elf* elf, Elf_Scn* section) {
  GElf_Shdr header;
  std::size_t names = 0;
  if (gelf_getshdr(section, &header) == nullptr || elf_getshdrstrndx(elf, &names) != 0) return {};
  const char* name = elf_strptr(elf, names, header.sh_name);
  return name == nullptr ? std::string_view() : name;
}

std::span<const std::byte> bytes_of(const Elf_Data* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

template <class Visit>
void for_sections(Elf* elf, const Visit& visit) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
    visit(section, name_of_section(elf, section));
}

bool is_zstd(Elf_Scn* section) {
  GElf_Chdr header;
  return gelf_getchdr(section, &header) != nullptr && header.ch_type == kZstd;
}

// The size of a section that is compressed in the older way of GNU: after "ZLIB", in eight bytes.
std::uint64_t size_in_gnu_header(Elf_Scn* section) {
  constexpr std::size_t kMagic = 4, kHeader = 12;
  const auto bytes = bytes_of(elf_rawdata(section, nullptr));
  std::uint64_t size = 0;
  if (bytes.size() >= kHeader)
    for (const std::byte byte : bytes.subspan(kMagic, kHeader - kMagic))
      size = size << 8 | std::to_integer<std::uint64_t>(byte);
  return size;
}

// Adds a section whose name is at `name` in the table of names.
bool add_section(Elf* elf, std::uint32_t type, std::size_t name, std::span<const std::byte> bytes) {
  Elf_Scn* section = elf_newscn(elf);
  Elf_Data* data = section == nullptr ? nullptr : elf_newdata(section);
  GElf_Shdr header;
  if (data == nullptr || gelf_getshdr(section, &header) == nullptr) return false;
  data->d_buf = const_cast<std::byte*>(bytes.data());  // libdw only reads it
  data->d_size = bytes.size();
  data->d_type = ELF_T_BYTE;
  data->d_version = EV_CURRENT;
  header.sh_type = type;
  header.sh_name = static_cast<std::uint32_t>(name);
  header.sh_size = bytes.size();
  return gelf_update_shdr(section, &header) != 0;
}

}  // namespace

std::span<const std::byte> section_bytes(Elf* elf, std::string_view name) {
  std::span<const std::byte> found;
  for_sections(elf, [&](Elf_Scn* section, std::string_view each) {
    if (each == name) found = bytes_of(elf_getdata(section, nullptr));
  });
  return found;
}

void unpack_sections(Elf* elf) {
  for_sections(elf, [&](Elf_Scn* section, std::string_view name) {
    GElf_Shdr header;
    if (name.starts_with(".debug_") && gelf_getshdr(section, &header) != nullptr &&
        (header.sh_flags & SHF_COMPRESSED) != 0)
      elf_compress(section, 0, 0);
  });
}

Result<std::uint64_t> size_of_debug_sections(Elf* elf, std::uint64_t data) {
  std::uint64_t stored = 0;
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  bool good = true;
  const auto add = [&](std::uint64_t& to, std::uint64_t size) {
    good = good && !__builtin_add_overflow(to, size, &to);
  };
  for_sections(elf, [&](Elf_Scn* section, std::string_view name) {
    GElf_Shdr header;
    const bool old = name.starts_with(".zdebug_");
    if (!(old || name.starts_with(".debug_")) || gelf_getshdr(section, &header) == nullptr ||
        header.sh_type == SHT_NOBITS)
      return;
    add(stored, header.sh_size);
    GElf_Chdr compressed;
    const bool is_compressed = gelf_getchdr(section, &compressed) != nullptr;
    if (!old && !is_compressed) return;
    add(packed, header.sh_size);
    add(unpacked, old ? size_in_gnu_header(section) : compressed.ch_size);
  });
  if (!good || stored > data) return failure("its debug sections are larger than the file");
  if (unpacked > most_unpacked(static_cast<std::size_t>(packed)))
    return failure(fmt::format("its debug sections unpack to {} bytes from {}", unpacked, packed));
  return stored - packed + unpacked;
}

bool has_zstd_sections(Elf* elf) {
  bool found = false;
  for_sections(elf, [&](Elf_Scn* section, std::string_view) { found = found || is_zstd(section); });
  return found;
}

Result<std::vector<DebugSection>> unpacked_sections(Elf* elf,
                                                    std::list<std::vector<std::byte>>& unpacked) {
  std::vector<DebugSection> sections;
  Error error;
  for_sections(elf, [&](Elf_Scn* section, std::string_view name) {
    if (!name.starts_with(".debug_")) return;
    std::span<const std::byte> bytes = bytes_of(elf_rawdata(section, nullptr));
    GElf_Chdr header;
    if (is_zstd(section) && gelf_getchdr(section, &header) != nullptr) {
      const std::size_t before =
          gelf_getclass(elf) == ELFCLASS64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
      auto whole = unpack_zstd(bytes.subspan(std::min(before, bytes.size())), header.ch_size);
      if (!whole) error = whole.error();
      bytes = whole ? std::span(unpacked.emplace_back(std::move(*whole)))
                    : std::span<const std::byte>();
    }
    sections.push_back({std::string(name), bytes});
  });
  if (!error.what.empty()) return std::unexpected(error);
  return sections;
}

ElfInMemory elf_of(std::span<const DebugSection> sections, Elf* like, int descriptor) {
  GElf_Ehdr header;
  GElf_Ehdr made;
  if (gelf_getehdr(like, &header) == nullptr) return {};
  OwnedElf elf(elf_begin(descriptor, ELF_C_WRITE, nullptr));
  if (!elf || gelf_newehdr(elf.get(), header.e_ident[EI_CLASS]) == nullptr ||
      gelf_getehdr(elf.get(), &made) == nullptr)
    return {};
  made.e_ident[EI_DATA] = header.e_ident[EI_DATA];
  made.e_type = ET_EXEC;
  made.e_machine = header.e_machine;
  made.e_version = EV_CURRENT;
  made.e_shstrndx = static_cast<std::uint16_t>(sections.size() + 1);
  auto names = std::make_unique<std::string>(1, '\0');
  bool good = gelf_update_ehdr(elf.get(), &made) != 0;
  for (const DebugSection& each : sections) {
    good = good && add_section(elf.get(), SHT_PROGBITS, names->size(), each.bytes);
    *names += each.name + '\0';
  }
  good = good && add_section(elf.get(), SHT_STRTAB, 0, std::as_bytes(std::span(*names)));
  if (!good) return {};
  return {std::move(names), std::move(elf)};
}

}  // namespace tacho::symbols
