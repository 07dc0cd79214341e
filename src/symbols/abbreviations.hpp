// A table of abbreviations: which attributes the entries of a DWARF unit have, and in which form
// (DWARF 5, section 7.5.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tacho::symbols {

// Reads numbers from bytes of a fixed length. After a read past the end, good() is false.
class DwarfBytes {
 public:
  DwarfBytes(std::span<const std::byte> bytes, bool big_endian) : bytes_(bytes), big_(big_endian) {}

  bool good() const { return good_; }
  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  void skip(std::uint64_t count);
  void go_to(std::size_t at);  // at most the number of bytes
  std::uint64_t number(std::size_t size);
  std::uint64_t leb128();             // also skips signed numbers
  std::span<const std::byte> text();  // without the zero byte at its end

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool big_ = false, good_ = true;
};

// How a unit encodes what its attributes do not say themselves.
struct UnitEncoding {
  unsigned version = 0;
  std::uint8_t address_size = 8, offset_size = 4;  // bytes
};

// The value of a form whose value is a small number, a reference or an offset; 0 for other forms.
// Nullopt if the form is not known. Moves behind the value.
std::optional<std::uint64_t> read_form(DwarfBytes&, std::uint64_t form, const UnitEncoding&);

class Abbreviations {
 public:
  struct Attribute {
    std::uint64_t name = 0, form = 0;
  };
  struct Declaration {
    std::uint64_t code = 0, tag = 0;
    bool has_children = false;
    std::uint32_t first = 0, count = 0;  // of its attributes
  };

  // The table at an offset of .debug_abbrev, only up to the declaration of the code `last` if there
  // is one. Nullopt if it does not end, or if an abbreviation has more attributes than any compiler
  // writes: an entry of one byte could take any time.
  static std::optional<Abbreviations> parse(std::span<const std::byte> section,
                                            std::uint64_t offset, std::uint64_t last = 0);

  const Declaration* find(std::uint64_t code) const;
  std::span<const Attribute> attributes_of(const Declaration& of) const {
    return std::span(attributes_).subspan(of.first, of.count);
  }
  std::uint64_t bytes() const { return bytes_; }  // of the table in the section

 private:
  std::vector<Declaration> declarations_;  // by code
  std::vector<Attribute> attributes_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tacho::symbols
