#include "report/gzip.hpp"

#include <zlib.h>

#include <new>

namespace tacho {

std::string gzipped(std::string_view text, int level) {
  constexpr int kGzip = 16 + MAX_WBITS, kMemoryLevel = 8;
  constexpr std::size_t kPieceIn = std::size_t{1} << 20, kPieceOut = std::size_t{256} << 10;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  std::size_t written = 0;
  do {
    const std::string_view piece = text.substr(0, kPieceIn);
    text.remove_prefix(piece.size());
    // zlib does not write into its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      out.resize(written + kPieceOut);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
      stream.avail_out = kPieceOut;
      deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
      written += kPieceOut - stream.avail_out;
    } while (stream.avail_out == 0);
  } while (!text.empty());
  deflateEnd(&stream);
  out.resize(written);
  return out;
}

}  // namespace tacho
