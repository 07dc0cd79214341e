#include "symbols/elf_file.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/build_id.hpp"
#include "base/regular_file.hpp"
#include "symbols/file_data.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint64_t kMostSections = 1 << 20;  // larger numbers are damage
// Bytes. Longer names are cut. Those of real programs have up to some 10,000.
constexpr std::size_t kLongestSymbol = 1 << 16;

// Offset and size in bytes of a field in the structures of both classes (32 and 64 bits).
struct Place {
  std::uint8_t at32, size32, at64, size64;
};
constexpr Place kHeaderSegments{28, 4, 32, 8}, kHeaderSections{32, 4, 40, 8};
constexpr Place kHeaderSegmentCount{44, 2, 56, 2}, kHeaderSectionCount{48, 2, 60, 2};
constexpr Place kHeaderNames{50, 2, 62, 2};
constexpr Place kSegmentOffset{4, 4, 8, 8}, kSegmentAddress{8, 4, 16, 8},
    kSegmentSize{16, 4, 32, 8};
constexpr Place kSectionFlags{8, 4, 8, 8}, kSectionAddress{12, 4, 16, 8};
constexpr Place kSectionOffset{16, 4, 24, 8}, kSectionSize{20, 4, 32, 8};
constexpr Place kSectionLink{24, 4, 40, 4};
constexpr Place kSymbolInfo{12, 1, 4, 1}, kSymbolSection{14, 2, 6, 2};
constexpr Place kSymbolValue{4, 4, 8, 8}, kSymbolSize{8, 4, 16, 8};
constexpr Place kRelocationInfo{4, 4, 8, 8};

// The layout of a PLT: the number of bytes before its first entry (`head`) and of each entry.
struct PltLayout {
  std::uint16_t machine;
  std::string_view section;
  std::uint64_t head, entry;
};
constexpr PltLayout kPltLayouts[] = {{EM_X86_64, ".plt.sec", 0, 16}, {EM_X86_64, ".plt", 16, 16},
                                     {EM_386, ".plt.sec", 0, 16},    {EM_386, ".plt", 16, 16},
                                     {EM_AARCH64, ".plt", 32, 16},   {EM_ARM, ".plt", 20, 12}};

// The size of a PLT entry. On arm64 an entry that checks branches (BTI) or signs its target (PAC)
// has 24 bytes. The position of its branch to x17 shows the kind: in a short entry it is the fourth
// word. The size of the section does not show it: a TLS descriptor entry may follow.
std::uint64_t plt_entry(const PltLayout& layout, std::span<const std::byte> plt) {
  constexpr std::array kBranch{std::byte{0x20}, std::byte{0x02}, std::byte{0x1f}, std::byte{0xd6}};
  constexpr std::uint64_t kWord = 4, kLong = 24;
  if (layout.machine != EM_AARCH64) return layout.entry;
  for (std::uint64_t at = layout.entry - kWord; at < kLong; at += kWord)
    if (layout.head + at + kWord <= plt.size() &&
        std::ranges::equal(plt.subspan(static_cast<std::size_t>(layout.head + at), kWord), kBranch))
      return at < layout.entry ? layout.entry : kLong;
  return layout.entry;
}

}  // namespace

void Unmap::operator()(const std::byte* mapped) const {
  ::munmap(const_cast<std::byte*>(mapped), size);
}

bool ElfFile::holds(std::uint64_t at, std::uint64_t size) const {
  return at <= bytes_.size() && size <= bytes_.size() - at;
}

std::uint64_t ElfFile::field(std::uint64_t at, std::size_t size) const {
  if (!holds(at, size)) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t from = big_ ? i : size - 1 - i;
    value =
        value << 8 | std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(at) + from]);
  }
  return value;
}

Result<ElfFile> ElfFile::open(const std::string& path) {
  const RegularFile opened = TACHO_TRY(open_regular_file(path, "/", Links::safe));
  if (opened.size < EI_NIDENT) return failure(fmt::format("'{}' is no ELF file", path));
  const auto size = static_cast<std::size_t>(opened.size);
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.fd.get(), 0);
  if (mapped == MAP_FAILED) return os_failure(fmt::format("cannot read '{}'", path), errno);
  ElfFile file;
  file.mapped_ = {static_cast<const std::byte*>(mapped), Unmap{size}};
  file.guard_ = GuardedMapping(mapped, size, opened.fd.get(), path);
  file.bytes_ = {file.mapped_.get(), size};
  file.data_ = data_bytes(opened.fd.get(), size);
  file.path_ = path;
  TACHO_TRY(file.parse());
  return file;
}

Result<ElfFile> ElfFile::of_image(std::span<const std::byte> image, const std::string& name) {
  ElfFile file;
  file.bytes_ = image;
  file.data_ = image.size();
  file.path_ = name;
  TACHO_TRY(file.parse());
  return file;
}

Result<ElfFile> ElfFile::of_unpacked(std::vector<std::byte> image, const std::string& name) {
  ElfFile file;
  file.unpacked_ = std::move(image);
  file.bytes_ = file.unpacked_;
  file.data_ = file.bytes_.size();
  file.path_ = name;
  TACHO_TRY(file.parse());
  return file;
}

Result<void> ElfFile::parse() {
  if (bytes_.size() < EI_NIDENT || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
    return failure(fmt::format("'{}' is no ELF file", path_));
  notes_left_ = data_;
  wide_ = field(EI_CLASS, 1) == ELFCLASS64;
  big_ = field(EI_DATA, 1) == ELFDATA2MSB;
  machine_ = static_cast<std::uint16_t>(field(18, 2));
  const auto get = [&](std::uint64_t base, const Place& place) {
    return wide_ ? field(base + place.at64, place.size64) : field(base + place.at32, place.size32);
  };
  const std::uint64_t segments = get(0, kHeaderSegments);
  const std::uint64_t entry = wide_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  for (std::uint64_t i = 0; i < get(0, kHeaderSegmentCount); ++i) {
    const std::uint64_t at = segments + i * entry;
    if (!holds(at, entry)) return failure(fmt::format("'{}' is cut off in its segments", path_));
    if (field(at, 4) == PT_NOTE) take_build_id(get(at, kSegmentOffset), get(at, kSegmentSize));
    if (field(at, 4) == PT_LOAD)
      segments_.push_back(
          {get(at, kSegmentOffset), get(at, kSegmentAddress), get(at, kSegmentSize)});
  }
  const std::uint64_t sections = get(0, kHeaderSections);
  if (sections == 0) return {};
  std::uint64_t count = get(0, kHeaderSectionCount);
  std::uint64_t names = get(0, kHeaderNames);
  if (count == 0) count = get(sections, kSectionSize);  // too many for the field in the header
  if (names == SHN_XINDEX) names = get(sections, kSectionLink);
  return parse_sections(sections, count, names);
}

Result<void> ElfFile::parse_sections(std::uint64_t at, std::uint64_t count, std::uint64_t names) {
  const auto get = [&](std::uint64_t base, const Place& place) {
    return wide_ ? field(base + place.at64, place.size64) : field(base + place.at32, place.size32);
  };
  const std::uint64_t entry = wide_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (count > kMostSections || count * entry > data_ || !holds(at, count * entry))
    return failure(fmt::format("'{}' is cut off in its sections", path_));
  for (std::uint64_t i = 0; i < count; ++i, at += entry) {
    Section section;
    section.type = static_cast<std::uint32_t>(field(at + 4, 4));
    section.flags = get(at, kSectionFlags);
    section.address = get(at, kSectionAddress);
    section.offset = get(at, kSectionOffset);
    section.size = get(at, kSectionSize);
    section.link = static_cast<std::uint32_t>(get(at, kSectionLink));
    sections_.push_back(section);
  }
  if (names < sections_.size())
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t name = field(at - (count - i) * entry, 4);
      const auto index = static_cast<std::size_t>(i);
      sections_[index].name = text(sections_[static_cast<std::size_t>(names)], name);
    }
  // Like the kernel, tacho prefers the notes of segments, which remain if section headers are
  // stripped. Kernel modules and other relocatable files have only sections.
  for (const Section& section : sections_)
    if (section.type == SHT_NOTE) take_build_id(section.offset, section.size);
  return {};
}

std::string_view ElfFile::text(const Section& strings, std::uint64_t at) const {
  const std::span<const std::byte> all = contents(strings);
  if (at >= all.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(all.data()) + at;
  const std::size_t left = all.size() - static_cast<std::size_t>(at);
  return {begin, ::strnlen(begin, std::min(left, kLongestSymbol))};
}

void ElfFile::take_build_id(std::uint64_t at, std::uint64_t size) {
  if (!build_id_.empty() || !holds(at, size)) return;
  size = std::min(size, notes_left_);  // real notes do not overlap
  notes_left_ -= size;
  const auto* notes = reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at;
  const auto id = find_build_id({notes, static_cast<std::size_t>(size)},
                                big_ ? std::endian::big : std::endian::little);
  build_id_ = build_id_text(id);
}

std::optional<DebugLink> ElfFile::debug_link() const {
  const Section* link = section(".gnu_debuglink");
  if (link == nullptr) return std::nullopt;
  const std::string_view name = text(*link, 0);
  const std::uint64_t crc = link->offset + (name.size() + 4) / 4 * 4;
  return DebugLink{std::string(name), static_cast<std::uint32_t>(field(crc, 4))};
}

std::optional<std::uint64_t> ElfFile::address_of(std::uint64_t offset) const {
  for (const Segment& segment : segments_)
    if (offset >= segment.offset && offset - segment.offset < segment.size)
      return offset - segment.offset + segment.address;
  return std::nullopt;
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  for (const Segment& segment : segments_)
    if (address >= segment.address && address - segment.address < segment.size)
      return address - segment.address + segment.offset;
  return std::nullopt;
}

const Section* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

std::span<const std::byte> ElfFile::contents(const Section& section) const {
  if (section.type == SHT_NOBITS || !holds(section.offset, section.size)) return {};
  return bytes_.subspan(static_cast<std::size_t>(section.offset),
                        static_cast<std::size_t>(section.size));
}

std::span<const std::byte> ElfFile::code(std::uint64_t address, std::uint64_t length) const {
  const auto offset = offset_of(address);
  if (!offset || *offset >= bytes_.size()) return {};
  return bytes_.subspan(static_cast<std::size_t>(*offset),
                        static_cast<std::size_t>(std::min(length, bytes_.size() - *offset)));
}

bool ElfFile::has_lines() const {
  const Section* lines = section(".debug_line");
  return (lines != nullptr && lines->type != SHT_NOBITS) || section(".zdebug_line") != nullptr;
}

Symbol ElfFile::symbol(const Section& table, std::uint64_t index, unsigned& type,
                       std::uint16_t& section) const {
  const std::uint64_t at = table.offset + index * (wide_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
  const auto get = [&](const Place& place) {
    return wide_ ? field(at + place.at64, place.size64) : field(at + place.at32, place.size32);
  };
  const auto info = static_cast<unsigned>(get(kSymbolInfo));
  type = info & 0xf;
  section = static_cast<std::uint16_t>(get(kSymbolSection));
  Symbol made{get(kSymbolValue),     get(kSymbolSize),        {},
              info >> 4 == STB_WEAK, info >> 4 == STB_GLOBAL, false,
              type == STT_NOTYPE};
  if (table.link < sections_.size()) made.name = text(sections_[table.link], field(at, 4));
  return made;
}

// Excludes symbols at the end of a section (etext), marks between code and data on ARM ($a, $d, $x)
// and local labels of assemblers (.L).
bool ElfFile::is_code_label(const Symbol& symbol, std::uint16_t where) const {
  if (!symbol.label || where >= SHN_LORESERVE || where >= sections_.size()) return false;
  const Section& section = sections_[where];
  return (section.flags & SHF_EXECINSTR) != 0 && symbol.address >= section.address &&
         symbol.address - section.address < section.size && !symbol.name.starts_with('$') &&
         !symbol.name.starts_with(".L");
}

std::vector<Symbol> ElfFile::functions() const {
  std::vector<Symbol> functions;
  const Section* table = section(".symtab");
  if (table == nullptr) table = section(".dynsym");
  if (table == nullptr) return functions;
  const std::uint64_t count = entries_of(*table, wide_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
  for (std::uint64_t i = 0; i < count; ++i) {
    unsigned type = 0;
    std::uint16_t where = 0;
    Symbol made = symbol(*table, i, type, where);
    const bool named = type == STT_FUNC || type == STT_GNU_IFUNC || is_code_label(made, where);
    if (!named || where == SHN_UNDEF || made.name.empty()) continue;
    if (machine_ == EM_ARM && !made.label) {  // the lowest bit means Thumb
      made.thumb = (made.address & 1) != 0;
      made.address &= ~std::uint64_t{1};
    }
    functions.push_back(made);
  }
  add_plt(functions);
  return functions;
}

// The PLT entries are in the order of the relocations that fill their slots.
void ElfFile::add_plt(std::vector<Symbol>& functions) const {
  const Section* relocations = section(".rela.plt");
  if (relocations == nullptr) relocations = section(".rel.plt");
  if (relocations == nullptr || relocations->link >= sections_.size()) return;
  const auto* layout = std::ranges::find_if(kPltLayouts, [&](const PltLayout& each) {
    return each.machine == machine_ && section(each.section) != nullptr;
  });
  if (layout == std::end(kPltLayouts)) return;
  const Section* plt = section(layout->section);
  const std::uint64_t entry = plt_entry(*layout, contents(*plt));
  std::uint64_t size = wide_ ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
  if (relocations->type == SHT_RELA) size = wide_ ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
  const std::uint64_t count = std::min(entries_of(*relocations, size),
                                       (plt->size - std::min(plt->size, layout->head)) / entry);
  // Each function is in the PLT once, so their names are not longer than the file.
  std::uint64_t names_left = data_;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = relocations->offset + i * size;
    const std::uint64_t info =
        wide_ ? field(at + kRelocationInfo.at64, 8) : field(at + kRelocationInfo.at32, 4);
    unsigned type = 0;
    std::uint16_t where = 0;
    const Symbol target =
        symbol(sections_[relocations->link], wide_ ? info >> 32 : info >> 8, type, where);
    if (target.name.empty()) continue;
    if (target.name.size() > names_left) break;
    names_left -= target.name.size();
    plt_names_.push_back(std::make_unique<std::string>(std::string(target.name) + "@plt"));
    functions.push_back(
        {plt->address + layout->head + i * entry, entry, *plt_names_.back(), false, false, false});
  }
}

}  // namespace tacho::symbols
