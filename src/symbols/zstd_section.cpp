// Unpacks sections of ELF files with zstd (ELFCOMPRESS_ZSTD).
#include <fmt/format.h>
#include <zstd.h>

#include "symbols/unpack.hpp"

namespace tacho::symbols {

Result<std::vector<std::byte>> unpack_zstd(std::span<const std::byte> packed, std::uint64_t size) {
  if (size > most_unpacked(packed.size()))
    return failure("it unpacks to more than 64 MiB and 10 times its size");
  std::vector<std::byte> unpacked(static_cast<std::size_t>(size));
  const std::size_t result =
      ZSTD_decompress(unpacked.data(), unpacked.size(), packed.data(), packed.size());
  if (ZSTD_isError(result) != 0)
    return failure(fmt::format("zstd says: {}", ZSTD_getErrorName(result)));
  if (result != unpacked.size()) return failure("it has fewer bytes than it says");
  return unpacked;
}

}  // namespace tacho::symbols
