// Says which code was at an address of a process at a time: of a mapped file, of the kernel, or of
// a JIT compiler that described it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "locate/address_spaces.hpp"
#include "locate/jit_spaces.hpp"
#include "locate/module_file.hpp"
#include "perfdata/record.hpp"

namespace tacho {

class RecordedCode {
 public:
  // `sources` finds the files of JIT compilers.
  explicit RecordedCode(SymbolSources sources = {}) : sources_(std::move(sources)) {}

  // Takes mappings, execs and forks, in order; ignores other records.
  void add(const perfdata::Record&, const perfdata::Description&);
  void add_build_ids(const std::vector<perfdata::Description::BuildIdOf>& build_ids) {
    mapped_.add_build_ids(build_ids);
  }

  // The code at an address of a process. Times must not decrease.
  CodePlace find(std::int32_t pid, perfdata::OptionalU64 time, perfdata::Mode mode,
                 std::uint64_t address);
  // The range of addresses around it with the same mapping, valid until a record is added. Where a
  // JIT compiler's code may be, it is the address alone, valid at this time only.
  CodeRange range_of(std::int32_t pid, perfdata::OptionalU64 time, perfdata::Mode mode,
                     std::uint64_t address);

  const std::vector<Module>& modules() const { return mapped_.modules(); }
  const AddressSpaces& mapped() const { return mapped_; }
  // One line for each file of a JIT compiler that was not read, or only in part, with the reason;
  // and what was left out because it would take too much memory.
  std::vector<std::string> warnings() const;

 private:
  SymbolSources sources_;
  AddressSpaces mapped_;
  JitSpaces jit_;
};

}  // namespace tacho
