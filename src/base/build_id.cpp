// Reads build IDs from ELF notes. The layouts are those of elf(5).
#include "base/build_id.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/regular_file.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostSegments = 256;  // read of one file
constexpr std::size_t kMostNotes = 4'096;   // bytes read of one segment
constexpr std::size_t kMostId = 20;         // bytes: the length of SHA-1, which linkers use
constexpr unsigned char kClass = sizeof(void*) == sizeof(std::uint64_t) ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// Returns false unless the file has all of the bytes.
template <class T>
bool read_at(const Fd& file, std::uint64_t at, std::span<T> into) {
  const auto bytes = std::as_writable_bytes(into);
  return ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace

std::span<const std::uint8_t> find_build_id(std::span<const std::uint8_t> notes,
                                            std::endian order) {
  constexpr std::size_t kWord = 4;
  const auto padded = [](std::size_t size) { return (size + kWord - 1) / kWord * kWord; };
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    if (order != std::endian::native)
      note = {std::byteswap(note.n_namesz), std::byteswap(note.n_descsz),
              std::byteswap(note.n_type)};
    notes = notes.subspan(sizeof note);
    if (note.n_namesz > notes.size() || note.n_descsz > notes.size()) break;
    const std::size_t name = padded(note.n_namesz);
    if (name + note.n_descsz > notes.size()) break;
    const bool is_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
                       std::memcmp(notes.data(), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    const auto description = notes.subspan(name, note.n_descsz);
    if (is_id && !description.empty() && description.size() <= kMostId) return description;
    notes = notes.subspan(std::min(notes.size(), name + padded(note.n_descsz)));
  }
  return {};
}

std::vector<std::uint8_t> kernel_build_id(const std::string& root) {
  const std::string notes = read_file(root + "/sys/kernel/notes").value_or("");
  const std::vector<std::uint8_t> bytes(notes.begin(), notes.end());
  const auto id = find_build_id(bytes);
  return {id.begin(), id.end()};
}

std::vector<std::uint8_t> read_build_id(const std::string& path, const std::string& root,
                                        Links links) {
  const auto opened = open_regular_file(path, root, links);
  if (!opened) return {};
  const Fd& file = opened->fd;
  ElfW(Ehdr) header{};
  if (!read_at(file, 0, std::span(&header, 1)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != kClass ||
      header.e_ident[EI_DATA] != kOrder || header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  for (std::size_t i = 0; i < std::min<std::size_t>(header.e_phnum, kMostSegments); ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, std::span(&segment, 1))) break;
    if (segment.p_type != PT_NOTE) continue;
    std::array<std::uint8_t, kMostNotes> notes{};
    const auto read = std::span(notes).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(segment.p_filesz, notes.size())));
    if (!read_at(file, segment.p_offset, read)) continue;
    if (const auto id = find_build_id(read); !id.empty()) return {id.begin(), id.end()};
  }
  return {};
}

std::string build_id_text(std::span<const std::uint8_t> id) {
  return fmt::format("{:02x}", fmt::join(id, ""));
}

}  // namespace tacho
