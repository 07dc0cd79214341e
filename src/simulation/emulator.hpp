// Finds the QEMU that runs a program of another architecture.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

struct Emulator {
  std::string qemu;                  // its program
  std::vector<std::string> options;  // the processor that it emulates, and the program's libraries
  std::string plugin;                // the simulator as a plugin for QEMU
  std::string file;                  // the program that it runs
};

// Returns nothing if no plugin of tacho simulates this kind of program. `file` is the program,
// `head` its start, and `library` the directory of the simulator. The error names the missing part
// and how to get it.
Result<std::optional<Emulator>> find_emulator(const std::string& file, std::string_view head,
                                              const std::string& library);

}  // namespace tacho
