// How many bytes of a file have data. The holes of a sparse file read as zeros and can make a small
// file look like terabytes.
#pragma once

#include <cstdint>

namespace tacho::symbols {

// At most `size`, which is the size of the regular file. Equals it if the file has no holes, or if
// its file system does not say where they are.
std::uint64_t data_bytes(int descriptor, std::uint64_t size);

}  // namespace tacho::symbols
