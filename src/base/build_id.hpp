// Build-ids, for those who need nothing else of an ELF file or of the kernel.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tacho {

// Of notes in a byte order, the description of the first NT_GNU_BUILD_ID: 1 to 20 bytes of them;
// empty when there is none.
std::span<const std::uint8_t> find_build_id(std::span<const std::uint8_t> notes,
                                            std::endian order = std::endian::native);

// Of the kernel that runs: /sys/kernel/notes below `root`. Empty when it is not told.
std::vector<std::uint8_t> kernel_build_id(const std::string& root = {});

// The bytes of the note NT_GNU_BUILD_ID that the file's segments hold, 1 to 20; empty when it has
// none, or is no ELF file of this machine's class and byte order.
std::vector<std::uint8_t> read_build_id(const std::string& path);

// As people and file names have it: two small hexadecimal digits a byte.
std::string build_id_text(std::span<const std::uint8_t> id);

}  // namespace tacho
