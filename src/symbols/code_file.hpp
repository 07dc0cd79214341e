// What the machine code of a file of 64-bit x86 says of calls: where they are, and to which
// function they lead.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tacho::symbols {

// Addresses are those of the file. Not thread-safe. Names are valid as long as the `Elf` is.
class CodeFile {
 public:
  CodeFile() = default;  // of nothing
  explicit CodeFile(Elf* elf) : elf_(elf) {}

  // Whether the instruction before this address is a call: E8, or FF /2 in each of its lengths.
  bool follows_call(std::uint64_t address) const;

  // A function of the same file by its address, or one of another file by its name.
  struct Callee {
    std::uint64_t address = 0;
    std::string_view import;
  };
  // The function that the instruction before this address calls: directly, or through the table of
  // addresses that the dynamic linker fills (the GOT, with or without a stub in the PLT). nullopt
  // if it is no call, or one through a pointer.
  std::optional<Callee> callee_before(std::uint64_t address);

  // A piece of code whose frames are described: a function, but for those that have several.
  struct Described {
    std::uint64_t begin = 0, end = 0;
    bool has(std::uint64_t address) const { return address >= begin && address < end; }
  };
  // The last one that does not begin behind this address (.eh_frame_hdr; Linux Standard Base 5.0,
  // section 10.6.2). nullopt if the file does not tell.
  std::optional<Described> described_before(std::uint64_t address) const;

  // Whether other files find the function that begins here by this name.
  bool exports(std::string_view name, std::uint64_t address);

 private:
  using Named = std::pair<std::uint64_t, std::string_view>;
  std::optional<Described> description_at(std::uint64_t place, std::uint64_t begin) const;
  void read_names();
  std::string_view symbol_name(std::size_t table, std::size_t symbol) const;
  std::optional<Callee> callee_in(std::uint64_t slot);
  std::span<const unsigned char> bytes_at(std::uint64_t address, std::size_t most) const;

  Elf* elf_ = nullptr;
  bool has_names_ = false;
  std::vector<Named> imports_, exports_;  // by the address of the slot or the function; sorted
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pointers_;  // slot and address; sorted
};

}  // namespace tacho::symbols
