// Unpacks xz files with liblzma.
#include <lzma.h>

#include <algorithm>

#include "symbols/unpack.hpp"

namespace tacho::symbols {

Result<std::vector<std::byte>> unpack_xz(std::span<const std::byte> packed) {
  constexpr std::uint64_t kMostMemory = 128 << 20;  // bytes: xz -9 needs 65 MiB
  constexpr std::size_t kStep = 64 << 10;           // bytes: the result grows by its own size
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, 0) != LZMA_OK)
    return failure("liblzma cannot be started");
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::vector<std::byte> unpacked;
  lzma_ret result = LZMA_OK;
  const std::uint64_t most = most_unpacked(packed.size());
  while (result == LZMA_OK && unpacked.size() < most) {
    const std::size_t had = unpacked.size();
    unpacked.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(most, had + std::max(kStep, had))));
    stream.next_out = reinterpret_cast<std::uint8_t*>(unpacked.data()) + had;
    stream.avail_out = unpacked.size() - had;
    result = lzma_code(&stream, LZMA_FINISH);
    unpacked.resize(unpacked.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (result == LZMA_STREAM_END) return unpacked;
  return failure(result == LZMA_OK ? "it unpacks to more than 64 MiB and 10 times its size"
                                   : "it is no complete xz file");
}

}  // namespace tacho::symbols
