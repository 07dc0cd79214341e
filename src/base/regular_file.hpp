// Opens files that another user may have put there, such as those of JIT compilers in /tmp. Opening
// one never waits and has no effect on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

struct RegularFile {
  Fd fd;
  std::uint64_t size = 0;   // bytes
  std::uint32_t owner = 0;  // user ID

  // Reads bytes at an offset. Returns how many there are, which is fewer at the end of the file or
  // after an error.
  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) const;
};

// Fails for a symbolic link at the end of the path, a FIFO, a device or a directory. The path is
// one of the directory tree at `root`, which must be a directory: no symbolic link leads out of it.
Result<RegularFile> open_regular_file(const std::string& path, const std::string& root = "/");

// Fails unless the file belongs to this user or to root. Root may read all files.
Result<void> check_owner(const RegularFile& file, const std::string& path);

}  // namespace tacho
