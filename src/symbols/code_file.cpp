#include "symbols/code_file.hpp"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tacho::symbols {
namespace {

constexpr std::size_t kLongestCall = 7, kDirectCall = 5;  // bytes
constexpr std::size_t kDisplacement = 4;                  // bytes, the last ones of an instruction

std::int32_t number_at(std::span<const unsigned char> bytes, std::size_t offset) {
  std::int32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// Addresses wrap around at 2⁶⁴ as the processor's do.
std::uint64_t add(std::uint64_t address, std::int32_t displacement) {
  return address + static_cast<std::uint64_t>(std::int64_t{displacement});
}

// The slot of the GOT to which the stub of a PLT jumps: "endbr64; bnd jmp *slot(%rip)", of which
// the first two may be missing.
std::optional<std::uint64_t> slot_of_stub(std::uint64_t address,
                                          std::span<const unsigned char> code) {
  constexpr std::array<unsigned char, 4> kEndBranch{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr unsigned char kBound = 0xf2;
  std::size_t at = 0;
  if (code.size() >= kEndBranch.size() && std::ranges::equal(code.first<4>(), kEndBranch))
    at = kEndBranch.size();
  if (at < code.size() && code[at] == kBound) ++at;
  const std::size_t end = at + 2 + kDisplacement;
  if (end > code.size() || code[at] != 0xff || code[at + 1] != 0x25) return std::nullopt;
  return add(address + end, number_at(code, at + 2));
}

}  // namespace

// At most so many bytes of the file; fewer if it ends.
std::span<const unsigned char> CodeFile::bytes_at(std::uint64_t address, std::size_t most) const {
  std::size_t size = 0, headers = 0;
  const char* const file = elf_ != nullptr ? elf_rawfile(elf_, &size) : nullptr;
  if (file == nullptr || elf_getphdrnum(elf_, &headers) != 0) return {};
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD)
      continue;
    if (address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz) continue;
    const std::uint64_t offset = header.p_offset + (address - header.p_vaddr);
    if (offset >= size) return {};
    const std::uint64_t left =
        std::min(size - offset, header.p_filesz - (address - header.p_vaddr));
    return std::span(reinterpret_cast<const unsigned char*>(file) + offset,
                     std::min<std::uint64_t>(most, left));
  }
  return {};
}

bool CodeFile::follows_call(std::uint64_t address) const {
  const auto code = bytes_at(address - kLongestCall, kLongestCall);
  if (code.size() < kLongestCall) return false;
  if (code[kLongestCall - kDirectCall] == 0xe8) return true;
  return std::ranges::any_of(std::array<std::size_t, 5>{2, 3, 4, 6, 7}, [&](std::size_t length) {
    const std::size_t first = kLongestCall - length;
    return code[first] == 0xff && ((code[first + 1] >> 3) & 7) == 2;
  });
}

std::optional<CodeFile::Callee> CodeFile::callee_before(std::uint64_t address) {
  constexpr std::size_t kThroughSlot = 2 + kDisplacement, kLongestStub = 16;
  const auto code = bytes_at(address - kThroughSlot, kThroughSlot);
  if (code.size() < kThroughSlot) return std::nullopt;
  const std::uint64_t target = add(address, number_at(code, kThroughSlot - kDisplacement));
  std::optional<std::uint64_t> slot;
  if (code[0] == 0xff && code[1] == 0x15)  // call *slot(%rip)
    slot = target;
  else if (code[kThroughSlot - kDirectCall] == 0xe8)
    slot = slot_of_stub(target, bytes_at(target, kLongestStub));
  else
    return std::nullopt;
  return slot ? callee_in(*slot) : Callee{.address = target, .import = {}};
}

std::optional<CodeFile::Described> CodeFile::described_before(std::uint64_t address) const {
  // Version 1, a relative pointer, a number of 32 bits, and pairs of numbers that are relative to
  // the table: what linkers write.
  constexpr std::array<unsigned char, 4> kUsual{1, 0x1b, 0x03, 0x3b};
  constexpr std::size_t kHead = 12, kPair = 8;  // bytes
  std::size_t headers = 0;
  if (elf_ == nullptr || elf_getphdrnum(elf_, &headers) != 0) return std::nullopt;
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr ||
        header.p_type != PT_GNU_EH_FRAME)
      continue;
    const auto table = bytes_at(header.p_vaddr, header.p_filesz);
    if (table.size() < kHead + kPair || !std::ranges::equal(table.first<4>(), kUsual))
      return std::nullopt;
    const auto pair = [&](std::size_t number, std::size_t half) {
      return add(header.p_vaddr, number_at(table, kHead + number * kPair + half));
    };
    std::size_t first = 0, behind = (table.size() - kHead) / kPair;
    behind = std::min<std::size_t>(behind, static_cast<std::uint32_t>(number_at(table, 8)));
    while (first < behind) {
      const std::size_t middle = first + (behind - first) / 2;
      if (pair(middle, 0) <= address)
        first = middle + 1;
      else
        behind = middle;
    }
    if (first == 0) return std::nullopt;
    return description_at(pair(first - 1, kPair / 2), pair(first - 1, 0));
  }
  return std::nullopt;
}

// The description (FDE) at a place, if it is of code that begins there, in the usual form: length,
// place of what it shares with others, relative begin and length of the code, each in 32 bits.
std::optional<CodeFile::Described> CodeFile::description_at(std::uint64_t place,
                                                            std::uint64_t begin) const {
  constexpr std::size_t kBegin = 8, kLength = 12, kSize = 16;  // bytes
  const auto description = bytes_at(place, kSize);
  if (description.size() < kSize || add(place + kBegin, number_at(description, kBegin)) != begin)
    return std::nullopt;
  return Described{begin, begin + static_cast<std::uint32_t>(number_at(description, kLength))};
}

std::string_view CodeFile::symbol_name(std::size_t table, std::size_t symbol) const {
  Elf_Scn* const section = elf_getscn(elf_, table);
  GElf_Shdr header;
  GElf_Sym found;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr ||
      gelf_getsym(elf_getdata(section, nullptr), static_cast<int>(symbol), &found) == nullptr)
    return {};
  const char* const name = elf_strptr(elf_, header.sh_link, found.st_name);
  return name != nullptr ? name : std::string_view();
}

// Reads the names of the dynamic linker once.
void CodeFile::read_names() {
  if (std::exchange(has_names_, true) || elf_ == nullptr) return;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
    if (header.sh_type != SHT_RELA && header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    const auto count = static_cast<int>(
        std::min<std::uint64_t>(data->d_size / header.sh_entsize, std::uint64_t{1} << 30));
    for (int i = 0; i < count; ++i) {
      GElf_Rela slot;
      GElf_Sym symbol;
      if (header.sh_type == SHT_RELA) {
        if (gelf_getrela(data, i, &slot) == nullptr) break;
        const auto type = GELF_R_TYPE(slot.r_info);
        if (type == R_X86_64_RELATIVE)
          pointers_.emplace_back(slot.r_offset, static_cast<std::uint64_t>(slot.r_addend));
        if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
          imports_.emplace_back(slot.r_offset,
                                symbol_name(header.sh_link, GELF_R_SYM(slot.r_info)));
      } else {
        if (gelf_getsym(data, i, &symbol) == nullptr) break;
        if (symbol.st_shndx == SHN_UNDEF) continue;
        exports_.emplace_back(symbol.st_value,
                              symbol_name(elf_ndxscn(section), static_cast<std::size_t>(i)));
      }
    }
  }
  std::ranges::sort(imports_);
  std::ranges::sort(pointers_);
  std::ranges::sort(exports_);
}

// What the dynamic linker puts into a slot.
std::optional<CodeFile::Callee> CodeFile::callee_in(std::uint64_t slot) {
  read_names();
  const auto import = std::ranges::lower_bound(imports_, slot, {}, &Named::first);
  if (import != imports_.end() && import->first == slot && !import->second.empty())
    return Callee{.address = 0, .import = import->second};
  const auto pointer = std::ranges::lower_bound(pointers_, slot, {},
                                                &std::pair<std::uint64_t, std::uint64_t>::first);
  if (pointer != pointers_.end() && pointer->first == slot)
    return Callee{.address = pointer->second, .import = {}};
  return std::nullopt;
}

bool CodeFile::exports(std::string_view name, std::uint64_t address) {
  read_names();
  return std::ranges::binary_search(exports_, Named{address, name});
}

}  // namespace tacho::symbols
