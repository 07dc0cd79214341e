// The file of a module of a recording, on this machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "locate/address_spaces.hpp"
#include "perfdata/record.hpp"
#include "symbols/binary.hpp"

namespace tacho {

// Where names come from; the machine's own unless a user or a test says otherwise.
struct SymbolSources {
  symbols::DebugPlaces debug;
  std::string kallsyms = "/proc/kallsyms";
  std::string perf_maps = "/tmp";  // where JIT compilers leave perf-PID.map
  std::string symfs;               // below it are the files of the recorded machine; empty: here
};

// Of a file, or of the [vdso], which is this kernel's own. Errors: there is none (ENOENT), it is of
// another build, or nothing tells whether it is.
Result<std::unique_ptr<symbols::Binary>> open_module_file(const Module&,
                                                          const perfdata::Description& recording,
                                                          const SymbolSources&);

// How the recorded kernel, whose build-id in hex may not be known, differs from the one that runs
// here, as what follows "the recorded one"; empty: as far as the recording tells, it does not.
std::string kernel_difference(std::string_view build_id, const perfdata::Description& recording);

}  // namespace tacho
