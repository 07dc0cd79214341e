// Opens files whose names come from data: from recordings, from debug information, from a program's
// memory map. Another user may have put anything there. Opening one never waits, and never touches
// a device or a FIFO.
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

// Which symbolic links of a path are followed.
enum class Links : std::uint8_t {
  none_at_end,  // as `safe`, but the last part of the path must not be a link
  safe,         // all but links of other users in directories that everyone may write to, as
                // fs.protected_symlinks says (proc(5)), whatever this kernel's setting is
  all,          // for paths of /proc that tacho itself makes
};

// Fails for a FIFO, a socket, a device or a directory, and for a file of procfs or another
// filesystem of the kernel, where reading may wait or take something away. The path is one of the
// directory tree at `root`, which must be a directory: no symbolic link leads out of it.
Result<RegularFile> open_regular_file(const std::string& path, const std::string& root = "/",
                                      Links links = Links::none_at_end);

// Returns the text of such a file, with Links::safe. A file longer than `limit` bytes is an error.
Result<std::string> read_regular_file(const std::string& path, std::size_t limit = 1 << 20);

// Fails unless the file belongs to this user or to root. Root may read all files.
Result<void> check_owner(const RegularFile& file, const std::string& path);

}  // namespace tacho
