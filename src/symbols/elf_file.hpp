// Reads an ELF file in place (System V ABI, chapters 4 and 5): sections, functions, build ID.
// Checks every access against the size of the file, and what takes memory or time against the bytes
// that have data: the holes of a sparse file count as nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "symbols/guarded_mapping.hpp"

namespace tacho::symbols {

struct Section {
  std::string_view name;
  std::uint32_t type = 0;  // SHT_*
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
  std::uint32_t link = 0;
};

// A function in a symbol table.
struct Symbol {
  std::uint64_t address = 0, size = 0;  // size 0: not known
  std::string_view name;                // mangled
  bool weak = false, global = false;
  bool thumb = false;  // code of ARM's 16-bit instruction set
  bool label = false;  // an address in code without the type of a function (assembly without .type)
};

// The name and checksum of a separate file with debug information (.gnu_debuglink).
struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

struct Unmap {
  std::size_t size = 0;
  void operator()(const std::byte* mapped) const;
};

// An ELF file that is mapped into memory. Views into it are valid as long as it lives.
class ElfFile {
 public:
  // Fails unless it is a regular file (open_regular_file, Links::safe).
  static Result<ElfFile> open(const std::string& path);
  // Reads an image in memory, which must outlive the ElfFile (the vDSO). Errors contain `name`.
  static Result<ElfFile> of_image(std::span<const std::byte> image, const std::string& name);
  // Keeps the image, which was unpacked from another file.
  static Result<ElfFile> of_unpacked(std::vector<std::byte> image, const std::string& name);

  const std::string& path() const { return path_; }
  // The whole image if it was not read from a file; otherwise empty.
  std::span<const std::byte> image_in_memory() const {
    return mapped_ ? std::span<const std::byte>() : bytes_;
  }
  std::uint16_t machine() const { return machine_; }  // EM_*
  bool is_64bit() const { return wide_; }
  bool is_big_endian() const { return big_; }
  const std::string& build_id() const { return build_id_; }  // in hex; empty if it has none
  std::optional<DebugLink> debug_link() const;

  // Convert between offsets in the file, which recordings have, and addresses, which its tables
  // have.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;

  const Section* section(std::string_view name) const;
  std::span<const std::byte> contents(const Section&) const;  // empty for SHT_NOBITS
  std::span<const std::byte> all() const { return bytes_; }
  // How many bytes of the file are in holes: they read as zeros and take no place on the disk.
  std::uint64_t holes() const { return bytes_.size() - data_; }
  // The code from an address on: `length` bytes, or fewer at the end of the file.
  std::span<const std::byte> code(std::uint64_t address, std::uint64_t length) const;

  // The functions of .symtab, or of .dynsym if there is no .symtab, in the order of the table. Also
  // has labels in code, and the entries of the PLT (memcpy@plt).
  std::vector<Symbol> functions() const;
  bool has_symtab() const { return section(".symtab") != nullptr; }
  bool has_lines() const;  // whether it has DWARF line tables

 private:
  struct Segment {
    std::uint64_t offset = 0, address = 0, size = 0;
  };

  Result<void> parse();
  Result<void> parse_sections(std::uint64_t at, std::uint64_t count, std::uint64_t names);
  // Takes the build ID from these notes if none is known yet.
  void take_build_id(std::uint64_t at, std::uint64_t size);
  void add_plt(std::vector<Symbol>& functions) const;
  std::uint64_t field(std::uint64_t at, std::size_t size) const;  // 0 after the end of the file
  bool holds(std::uint64_t at, std::uint64_t size) const;
  // How many entries of so many bytes a table can have. Each has data of its own.
  std::uint64_t entries_of(const Section& table, std::uint64_t size) const {
    return std::min<std::uint64_t>(contents(table).size(), data_) / size;
  }
  std::string_view text(const Section& strings, std::uint64_t at) const;
  Symbol symbol(const Section& table, std::uint64_t index, unsigned& type,
                std::uint16_t& section) const;
  bool is_code_label(const Symbol& symbol, std::uint16_t section) const;

  std::unique_ptr<const std::byte, Unmap> mapped_;
  GuardedMapping guard_;             // ends before the mapping does
  std::vector<std::byte> unpacked_;  // instead of mapped_
  std::span<const std::byte> bytes_;
  std::uint64_t data_ = 0;        // bytes of the file that are not in holes
  std::uint64_t notes_left_ = 0;  // bytes of notes that may still be searched
  std::string path_, build_id_;
  std::uint16_t machine_ = 0;
  bool wide_ = true, big_ = false;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  mutable std::vector<std::unique_ptr<std::string>> plt_names_;
};

}  // namespace tacho::symbols
