// Reads a small file in one call, and writes all bytes of a text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// Returns the text of a file. Files of sysfs and procfs have no size, so it reads until the end. A
// file longer than `limit` bytes is an error.
Result<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);

// Returns the first line of a small file (sysfs, procfs) without its newline. Empty if the file
// cannot be read.
std::string first_line(const std::string& path);

// Writes every byte; repeats the write after EINTR and after a short write. `name` is for the
// error.
Result<void> write_all(int fd, std::string_view bytes, std::string_view name);

}  // namespace tacho
