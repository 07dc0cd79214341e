// Small files read whole, and bytes written whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// The whole text of a file. Files of sysfs and procfs have no size, so it reads until the end; a
// file longer than `limit` bytes is an error (nothing we read whole is that long).
Result<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);

// The first line of a small file (sysfs, procfs) without its newline; empty when it can't be read.
std::string first_line(const std::string& path);

// Writes every byte, going on after EINTR and short writes.
Result<void> write_all(int fd, std::string_view bytes, std::string_view name);

}  // namespace tacho
