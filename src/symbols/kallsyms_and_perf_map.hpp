// Reads the two text files that name functions outside ELF files: /proc/kallsyms of the kernel, and
// the perf map /tmp/perf-PID.map of a JIT compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "symbols/function_table.hpp"

namespace tacho::symbols {

// A table with the text that its names point into. The text keeps its address if the table moves.
struct OwnedTable {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
};

// The functions of the kernel and of its modules.
struct KernelFunctions {
  std::unique_ptr<const std::string> text;
  FunctionTable functions;
  // The addresses of _text and _stext; 0 if a symbol is missing. A recording has one of them.
  std::uint64_t text_start = 0, stext = 0;
};
// Parses the text of /proc/kallsyms. `path` is for the error: the kernel hides the addresses from
// this user.
Result<KernelFunctions> parse_kernel_functions(std::string text, const std::string& path);
// The same of a file. Fails also if the file can't be read.
Result<KernelFunctions> read_kernel_functions(const std::string& path = "/proc/kallsyms");

// Parses a perf map, which has one line for each function: START SIZE NAME, with numbers in hex.
// Skips other lines. A compiler only appends to its map. So where places overlap, the later line
// holds.
OwnedTable parse_perf_map(std::string text);
// Reads the map at a path of the directory tree `root` (open_regular_file). Fails if it belongs
// neither to this user nor to root, unless this user is root.
Result<OwnedTable> read_perf_map(const std::string& path, const std::string& root = "/");

}  // namespace tacho::symbols
