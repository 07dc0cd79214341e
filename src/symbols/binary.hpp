// One program or library as recordings meet it: what its names, lines and instructions are, from
// the file itself and from separate files with its debug information.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "symbols/debug_file.hpp"
#include "symbols/disassembly.hpp"
#include "symbols/elf_file.hpp"
#include "symbols/function_table.hpp"
#include "symbols/source_lines.hpp"

namespace tacho::symbols {

class Binary {
 public:
  // The file at `path`, if its build-id is the wanted one (or none is wanted).
  static Result<std::unique_ptr<Binary>> open(const std::string& path,
                                              const std::string& wanted_build_id,
                                              const DebugPlaces&);
  // The [vdso] that the kernel gave this very process.
  static Result<std::unique_ptr<Binary>> own_vdso(const std::string& wanted_build_id);

  const ElfFile& file() const { return file_; }
  // Of an offset in the file, as recordings tell it: the address that the tables use.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    return file_.address_of(offset);
  }
  const FunctionTable& functions();
  // Lines, from the file or from its debug file. An error says why there are none.
  Result<SourceLines*> lines();
  Result<std::vector<Instruction>> instructions(const Function&) const;
  // Those that begin from an address on, up to another.
  Result<std::vector<Instruction>> instructions(std::uint64_t first, std::uint64_t last);

 private:
  Binary(ElfFile file, const DebugPlaces& places);
  const ElfFile* debug_file();

  ElfFile file_;
  DebugPlaces places_;
  bool looked_for_debug_ = false;
  std::optional<ElfFile> debug_;
  std::optional<FunctionTable> functions_;
  std::optional<Result<std::unique_ptr<SourceLines>>> lines_;
};

}  // namespace tacho::symbols
