#include "symbols/file_data.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace tacho::symbols {

std::uint64_t data_bytes(int descriptor, std::uint64_t size) {
  constexpr std::uint64_t kBlock = 512;  // bytes: the unit of st_blocks
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 &&
      static_cast<std::uint64_t>(status.st_blocks) * kBlock >= size)
    return size;
  // The file has holes, or its file system compresses it or counts the blocks otherwise.
  std::uint64_t found = 0;
  for (off_t at = 0; (at = ::lseek(descriptor, at, SEEK_DATA)) >= 0;) {
    const off_t end = ::lseek(descriptor, at, SEEK_HOLE);
    if (end <= at) return size;
    found += static_cast<std::uint64_t>(end - at);
    at = end;
  }
  return std::min(found, size);
}

}  // namespace tacho::symbols
