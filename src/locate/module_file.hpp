// Finds and opens the file of a recorded module on this machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "locate/address_spaces.hpp"
#include "perfdata/record.hpp"
#include "symbols/binary.hpp"

namespace tacho {

// Where tacho looks for names. The defaults are the places on this machine.
struct SymbolSources {
  symbols::DebugPlaces debug;
  std::string kallsyms = "/proc/kallsyms";
  bool trusts_kallsyms = false;    // the user says that it is of the recorded kernel
  std::string vmlinux;             // the recorded kernel as an ELF file; empty: not known
  std::string perf_maps = "/tmp";  // where JIT compilers leave perf-PID.map
  std::string
      symfs;  // directory with the files of the recorded machine; empty: this machine's files
};

// Opens the file of a module. For the [vdso] it uses the image of the running kernel. Fails if
// there is no file (ENOENT), if it belongs to another build, or if its build can't be checked.
Result<std::unique_ptr<symbols::Binary>> open_module_file(const Module&,
                                                          const perfdata::Description& recording,
                                                          const SymbolSources&);

// Describes how the recorded kernel differs from the running one; completes a sentence that begins
// with "the recorded one". Empty if the recording shows no difference. `build_id` is in hex, and
// empty if not known.
std::string kernel_difference(std::string_view build_id, const perfdata::Description& recording);

}  // namespace tacho
