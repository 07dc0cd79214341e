#include "symbols/line_table_cost.hpp"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <vector>

#include "symbols/abbreviations.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint64_t kRowBytes = 48;    // Dwarf_Line of elfutils 0.188
constexpr std::uint64_t kFileBytes = 64;   // without its path
constexpr std::uint64_t kMostPath = 4096;  // bytes: PATH_MAX

class LineTable {
 public:
  LineTable(const LineSections& sections, const LineUnit& unit)
      : sections_(sections), unit_(unit), bytes_(sections.lines, sections.big_endian) {
    encoding_.address_size = unit.address_size;
  }

  std::optional<std::uint64_t> cost() {
    bytes_.skip(unit_.table);
    const bool good = unit_.directory_size <= kMostPath && read_header() && read_program();
    return good && bytes_.good() ? std::optional(cost_) : std::nullopt;
  }

 private:
  // Ends the table where it says.
  bool take_length() {
    std::uint64_t length = bytes_.number(4);
    if (length == 0xffffffff) {
      encoding_.offset_size = 8;
      length = bytes_.number(8);
    }
    if (!bytes_.good() || length > bytes_.left()) return false;
    const std::size_t at = bytes_.at();
    bytes_ = DwarfBytes(sections_.lines.first(at + static_cast<std::size_t>(length)),
                        sections_.big_endian);
    bytes_.go_to(at);
    return true;
  }

  bool read_header() {
    if (!take_length()) return false;
    encoding_.version = static_cast<unsigned>(bytes_.number(2));
    if (encoding_.version < 2 || encoding_.version > 5) return false;
    if (encoding_.version == 5) {
      encoding_.address_size = static_cast<std::uint8_t>(bytes_.number(1));
      bytes_.skip(1);  // size of segment selectors
    }
    const std::uint64_t header = bytes_.number(encoding_.offset_size);
    if (!bytes_.good() || header > bytes_.left()) return false;
    const std::size_t program = bytes_.at() + static_cast<std::size_t>(header);
    bytes_.skip(encoding_.version < 4 ? 3 : 4);
    if (bytes_.number(1) == 0) return false;  // special opcodes divide by it
    first_special_ = bytes_.number(1);
    for (std::uint64_t i = 1; i < first_special_; ++i)
      arguments_[static_cast<std::size_t>(i)] = bytes_.number(1);
    if (!(encoding_.version == 5 ? read_tables() : read_old_tables())) return false;
    bytes_.go_to(program);
    return bytes_.good();
  }

  bool add_file(std::uint64_t name) {
    cost_ += kFileBytes + unit_.directory_size + longest_ + name;
    return bytes_.good() && name <= kMostPath;
  }

  bool read_old_tables() {
    for (std::size_t size = 1; bytes_.good() && size > 0;) {
      size = bytes_.text().size();
      if (size > kMostPath) return false;
      longest_ = std::max<std::uint64_t>(longest_, size);
    }
    while (bytes_.good()) {
      const std::size_t size = bytes_.text().size();
      if (size == 0) return bytes_.good();
      for (int i = 0; i < 3; ++i) bytes_.leb128();  // directory, time, size
      if (!add_file(size)) return false;
    }
    return false;
  }

  std::uint64_t length_at(std::span<const std::byte> strings, std::uint64_t at) const {
    if (at >= strings.size()) return 0;
    const auto rest = strings.subspan(static_cast<std::size_t>(at));
    const auto most = rest.first(std::min<std::size_t>(rest.size(), kMostPath + 1));
    return static_cast<std::uint64_t>(std::ranges::find(most, std::byte{0}) - most.begin());
  }

  // The longest text of an entry; nullopt if it is damaged.
  std::optional<std::uint64_t> read_entry(std::span<const std::uint64_t> forms) {
    std::uint64_t longest = 0;
    const std::size_t from = bytes_.at();
    for (const std::uint64_t form : forms) {
      if (form == DW_FORM_string) {
        longest = std::max<std::uint64_t>(longest, bytes_.text().size());
        continue;
      }
      const auto value = read_form(bytes_, form, encoding_);
      if (!value) return std::nullopt;
      if (form == DW_FORM_line_strp)
        longest = std::max(longest, length_at(sections_.line_strings, *value));
      if (form == DW_FORM_strp) longest = std::max(longest, length_at(sections_.strings, *value));
    }
    if (bytes_.at() == from || longest > kMostPath) return std::nullopt;
    return longest;
  }

  // The directories, then the files.
  bool read_tables() {
    for (const bool files : {false, true}) {
      std::vector<std::uint64_t> forms;
      const std::uint64_t columns = bytes_.number(1);
      for (std::uint64_t i = 0; i < columns; ++i) {
        bytes_.leb128();  // the meaning
        forms.push_back(bytes_.leb128());
      }
      const std::uint64_t count = bytes_.leb128();
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto size = read_entry(forms);
        if (!size || !bytes_.good()) return false;
        if (!files) longest_ = std::max(longest_, *size);
        cost_ += kFileBytes;
        if (files && !add_file(*size)) return false;
      }
    }
    return bytes_.good();
  }

  // libdw reads arguments of known size without regard to the length, so both have to agree.
  bool read_extended() {
    const std::uint64_t length = bytes_.leb128();
    if (!bytes_.good() || length == 0 || length > bytes_.left()) return false;
    const std::size_t end = bytes_.at() + static_cast<std::size_t>(length);
    switch (bytes_.number(1)) {
      case DW_LNE_end_sequence:
        cost_ += kRowBytes;
        break;
      case DW_LNE_set_address:
        bytes_.skip(encoding_.address_size);
        break;
      case DW_LNE_set_discriminator:
        bytes_.leb128();
        break;
      case DW_LNE_define_file: {
        const std::size_t size = bytes_.text().size();
        for (int i = 0; i < 3; ++i) bytes_.leb128();
        if (!add_file(size)) return false;
        break;
      }
      default:
        bytes_.go_to(end);
        break;
    }
    return bytes_.good() && bytes_.at() == end;
  }

  bool read_program() {
    while (bytes_.good() && bytes_.left() > 0) {
      const std::uint64_t opcode = bytes_.number(1);
      if (opcode >= first_special_ || opcode == DW_LNS_copy) {
        cost_ += kRowBytes;
      } else if (opcode == 0) {
        if (!read_extended()) return false;
      } else if (opcode == DW_LNS_fixed_advance_pc) {
        bytes_.skip(2);
      } else {
        for (std::uint64_t i = 0; i < arguments_[static_cast<std::size_t>(opcode)]; ++i)
          bytes_.leb128();
      }
    }
    return bytes_.good();
  }

  const LineSections& sections_;
  const LineUnit& unit_;
  DwarfBytes bytes_;
  UnitEncoding encoding_;
  std::uint64_t first_special_ = 0;
  std::array<std::uint64_t, 256> arguments_{};  // of the standard opcodes
  std::uint64_t longest_ = 0;                   // bytes of the path of a directory
  std::uint64_t cost_ = 0;
};

}  // namespace

std::optional<std::uint64_t> line_table_cost(const LineSections& sections, const LineUnit& unit) {
  return LineTable(sections, unit).cost();
}

}  // namespace tacho::symbols
