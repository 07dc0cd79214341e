#include "perfdata/expander.hpp"

#include <lzma.h>
#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tacho::perfdata {
namespace {

constexpr std::size_t kPieceIn = std::size_t{64} << 10, kPieceOut = std::size_t{128} << 10;
using Out = std::array<unsigned char, kPieceOut>;

std::unexpected<Error> broken_archive(std::string_view why) {
  return failure(std::string(why), "transfer it again, or test it with gzip -t or xz -t");
}

Result<void> pass_on(const Sink& sink, const Out& out, std::size_t left) {
  return sink(std::as_bytes(std::span(out)).first(out.size() - left));
}

struct Inflating {
  z_stream stream{};
  bool begun = false;
  ~Inflating() {
    if (begun) inflateEnd(&stream);
  }
};

struct Unpacking {
  lzma_stream stream = LZMA_STREAM_INIT;
  ~Unpacking() { lzma_end(&stream); }
};

}  // namespace

// A gzip file may have several members, one after the other.
Result<void> expand_gzip(Input& input, const Sink& sink) {
  constexpr int kGzip = 16 + MAX_WBITS;
  Inflating inflating;
  z_stream& stream = inflating.stream;
  inflating.begun = inflateInit2(&stream, kGzip) == Z_OK;
  if (!inflating.begun) return broken_archive("zlib has no memory");
  Out out;
  int state = Z_OK;
  for (;;) {
    const Bytes in = input.peek(kPieceIn);
    if (in.empty()) break;
    if (state == Z_STREAM_END) inflateReset(&stream);
    // zlib does not write into its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream.avail_in = static_cast<uInt>(in.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = out.size();
      state = inflate(&stream, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        return broken_archive(stream.msg != nullptr ? stream.msg
                                                    : "the compressed data are damaged");
      TACHO_TRY(pass_on(sink, out, stream.avail_out));
    } while (stream.avail_out == 0 && state != Z_STREAM_END);
    input.take(in.size() - stream.avail_in);
  }
  if (input.error()) return std::unexpected(*input.error());
  if (state != Z_STREAM_END) return broken_archive("it ends in the middle of the compressed data");
  return {};
}

Result<void> expand_xz(Input& input, const Sink& sink) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{128} << 20;  // bytes; xz -9 needs 65 MiB
  Unpacking unpacking;
  lzma_stream& stream = unpacking.stream;
  if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK)
    return broken_archive("liblzma has no memory");
  Out out;
  for (lzma_ret state = LZMA_OK; state != LZMA_STREAM_END;) {
    const Bytes in = input.peek(kPieceIn);
    stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream.avail_in = in.size();
    do {
      stream.next_out = out.data();
      stream.avail_out = out.size();
      state = lzma_code(&stream, in.empty() ? LZMA_FINISH : LZMA_RUN);
      if (state == LZMA_MEMLIMIT_ERROR)
        return failure("its decompression needs more than 128 MiB of memory",
                       "decompress it with unxz first");
      if (state != LZMA_OK && state != LZMA_STREAM_END && (state != LZMA_BUF_ERROR || in.empty()))
        return broken_archive(in.empty() ? "it ends in the middle of the compressed data"
                                         : "the compressed data are damaged");
      TACHO_TRY(pass_on(sink, out, stream.avail_out));
    } while (stream.avail_out == 0 && state != LZMA_STREAM_END);
    input.take(in.size() - stream.avail_in);
  }
  if (input.error()) return std::unexpected(*input.error());
  return {};
}

}  // namespace tacho::perfdata
