// The separate file that has a binary's debug information.
#pragma once

#include <optional>

#include "symbols/binary.hpp"

namespace tacho::symbols {

// None when there is none, or when what is found belongs to another build.
std::optional<ElfFile> find_debug_file(const ElfFile& of, const DebugPlaces&);

}  // namespace tacho::symbols
