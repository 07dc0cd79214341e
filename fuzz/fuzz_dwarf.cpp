// Fuzzes the reader of source lines and inlined functions, and with it libdw: recordings name ELF
// files that anybody may have written. Whatever the file contains, few frames come back, and the
// time and memory are those that the size of the file explains.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "symbols/binary.hpp"

namespace {

void demand(bool good) {
  if (!good) std::abort();
}

// libdw reads files, not memory.
const std::string& path_of_input() {
  static const std::string path = "/dev/shm/tacho-fuzz-dwarf-" + std::to_string(::getpid());
  static const auto removed = [] {
    return std::atexit([] { ::unlink(path_of_input().c_str()); });
  }();
  demand(removed == 0);
  return path;
}

void look_up(tacho::symbols::SourceLines& lines, std::uint64_t address) {
  constexpr std::size_t kMostFrames = 66;  // a function, and 65 levels within it
  const auto frames = lines.frames_at(address);
  demand(frames.size() <= kMostFrames);
  static_cast<void>(lines.line_at(address));
  for (const auto& frame : frames) demand(frame.symbol.size() <= 1 << 16);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(path_of_input(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto lines = tacho::symbols::SourceLines::open(path_of_input());
  if (!lines) {
    demand(!lines.error().what.empty());
    return 0;
  }
  // The addresses of the code in the seeds, those of the functions, and one that is nowhere.
  for (const std::uint64_t address : {0x401000U, 0x401010U, 0x4010ffU, 0x1000U, 0U, 0x7fffffffU})
    look_up(**lines, address);
  const auto binary = tacho::symbols::Binary::open(path_of_input(), {}, {});
  if (!binary) return 0;
  constexpr std::size_t kEnough = 16;
  const auto functions = (*binary)->file().functions();
  for (std::size_t i = 0; i < functions.size() && i < kEnough; ++i)
    look_up(**lines, functions[i].address);
  return 0;
}
