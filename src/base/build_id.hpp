// Build IDs of files and of the running kernel, read without an ELF library.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/regular_file.hpp"

namespace tacho {

// Returns the build ID (1 to 20 bytes) found in ELF notes, or an empty span. `order` is the byte
// order of the notes.
std::span<const std::uint8_t> find_build_id(std::span<const std::uint8_t> notes,
                                            std::endian order = std::endian::native);

// Returns the build ID of the running kernel, from /sys/kernel/notes below `root`. Empty if the
// file has none.
std::vector<std::uint8_t> kernel_build_id(const std::string& root = {});

// Returns the build ID (1 to 20 bytes) of an ELF file. Empty if the file has none, if it can't be
// opened (open_regular_file), or if it is not an ELF file of this machine's class and byte order.
std::vector<std::uint8_t> read_build_id(const std::string& path, const std::string& root = "/",
                                        Links links = Links::safe);

// The build ID as text: two lower-case hexadecimal digits a byte.
std::string build_id_text(std::span<const std::uint8_t> id);

}  // namespace tacho
