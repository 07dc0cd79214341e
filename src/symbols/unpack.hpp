// Unpacks data in ELF files that are packed with xz or zstd. The result never has more bytes than a
// multiple of the packed size, so that a small file can't fill the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tacho::symbols {

// The largest result for so many packed bytes. The symbol tables and debug information of real
// programs shrink to a third or a sixth; small ones that repeat themselves, to a fiftieth.
constexpr std::uint64_t most_unpacked(std::size_t packed) {
  constexpr std::uint64_t kRatio = 10, kAlways = 64 << 20;  // bytes
  return kAlways + kRatio * packed;
}

// Fails if the bytes are no complete xz file, if the result is larger than most_unpacked(), or if
// tacho was built without liblzma, which comes with elfutils.
Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> packed);

// Fails if the bytes are no zstd frame of `size` unpacked bytes, if `size` is larger than
// most_unpacked(), or if tacho was built without zstd.
Result<std::vector<std::byte>> unpack_zstd(std::span<const std::byte> packed, std::uint64_t size);

}  // namespace tacho::symbols
