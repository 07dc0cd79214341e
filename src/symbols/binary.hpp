// A recorded program or library: its functions, source lines and instructions, from the file itself
// and from a separate file with its debug information.
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
  // Opens the file at `path`. Fails if a build ID is wanted and the file has another one.
  static Result<std::unique_ptr<Binary>> open(const std::string& path,
                                              const std::string& wanted_build_id,
                                              const DebugPlaces&);
  // Opens the [vdso] that the kernel mapped into this process.
  static Result<std::unique_ptr<Binary>> own_vdso(const std::string& wanted_build_id);

  const ElfFile& file() const { return file_; }
  // The address that the tables use for an offset in the file. Recordings have offsets.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    return file_.address_of(offset);
  }
  const FunctionTable& functions();
  // Whether functions that are not exported have no names, because the file was stripped and no
  // other file has its symbol table.
  bool is_stripped();
  // Why a debug file that is there is not used; empty if none was refused up to now.
  const std::string& refused_debug_file() const { return refused_debug_; }
  // The source lines, from the file or from its debug file. An error says why there are none.
  Result<SourceLines*> lines();
  Result<std::vector<Instruction>> instructions(const Function&) const;
  // The instructions that begin at `first`, at `last` or between them.
  Result<std::vector<Instruction>> instructions(std::uint64_t first, std::uint64_t last);

 private:
  Binary(ElfFile file, const DebugPlaces& places);
  const ElfFile* debug_file();
  const ElfFile* mini_debug_file();

  ElfFile file_;
  DebugPlaces places_;
  bool looked_for_debug_ = false, looked_for_mini_ = false;
  std::optional<ElfFile> debug_, mini_debug_;
  std::string refused_debug_;
  std::optional<FunctionTable> functions_;
  std::optional<Result<std::unique_ptr<SourceLines>>> lines_;
};

}  // namespace tacho::symbols
