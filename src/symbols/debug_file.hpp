// Finds the separate file that holds the debug information of a program or library.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.hpp"

namespace tacho::symbols {

// Where tacho looks for separate debug information, in the same order as GDB. First come
// DIRECTORY/.build-id/ab/cdef.debug for each directory. Then comes the name in .gnu_debuglink:
// beside the binary, in .debug/ there, and below each directory.
struct DebugPlaces {
  std::vector<std::string> directories{"/usr/lib/debug"};
  // Called with a build ID in hex if no file was found. Returns the path of a file, or nullopt if
  // it could not get one. Empty unless the user asked for downloads.
  std::function<std::optional<std::string>(const std::string& build_id)> download;
};

// Whether two build IDs in hex belong to the same file. Some recordings pad build IDs with zeros,
// so trailing zeros are ignored. An empty build ID belongs to no file.
bool same_build_id(std::string_view a, std::string_view b);

// Returns nullopt if there is no such file, or if each file found belongs to another build. Sets
// `refused` if a file is there but can't be opened, or is no ELF file.
std::optional<ElfFile> find_debug_file(const ElfFile& of, const DebugPlaces&, std::string& refused);

}  // namespace tacho::symbols
