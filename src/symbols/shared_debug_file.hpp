// The file into which dwz(1) moved debug information that several programs share
// (.gnu_debugaltlink). Debian and Fedora ship such files.
#pragma once

#include <elfutils/libdw.h>

#include <string>

#include "symbols/debug_sections.hpp"
#include "symbols/mapped_elf.hpp"

namespace tacho::symbols {

class SharedDebugFile {
 public:
  SharedDebugFile() = default;
  SharedDebugFile(const SharedDebugFile&) = delete;
  SharedDebugFile& operator=(const SharedDebugFile&) = delete;
  ~SharedDebugFile();

  // Finds the file that `program` names, if it names one, and gives it to libdw. If it can't be
  // used, libdw gets an empty one, so that it does not open the name by itself. `elf` and
  // `descriptor` are those of the program, and `path` is its path. This object must live longer
  // than `program`.
  void add_to(Dwarf* program, Elf* elf, int descriptor, const std::string& path);

  // Why the file is not used; empty if it is, or if none is named.
  const std::string& why_missing() const { return why_missing_; }

 private:
  Result<MappedElf> find(const std::string& name, const std::string& build_id,
                         const std::string& path) const;

  MappedElf file_;
  ElfInMemory empty_;  // instead of it
  Dwarf* dwarf_ = nullptr;
  std::string why_missing_;
};

}  // namespace tacho::symbols
