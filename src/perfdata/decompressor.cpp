#include "perfdata/decompressor.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tacho::perfdata {

struct Decompressor::Stream {
  Stream() : context(ZSTD_createDStream()) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ZSTD_freeDStream(context); }
  ZSTD_DStream* context;
};

Decompressor::Decompressor() = default;
Decompressor::~Decompressor() = default;

bool Decompressor::available() {
  return true;
}

void Decompressor::allow_window(std::uint64_t bytes) {
  constexpr int kLeast = 19, kMost = 27;  // that of zstd's level 1, and of its highest level
  window_log_ = std::clamp(static_cast<int>(std::bit_width(bytes)) - 1, kLeast, kMost);
}

void Decompressor::feed(Bytes compressed) {
  if (!stream_) {
    stream_ = std::make_unique<Stream>();
    ZSTD_DCtx_setParameter(stream_->context, ZSTD_d_windowLogMax, window_log_);
    buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
  }
  compressed_ = compressed;
  drained_ = compressed.empty();
}

void Decompressor::fill() {
  std::memmove(buffer_.get(), buffer_.get() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  ZSTD_outBuffer out{buffer_.get() + filled_, kBuffer - filled_, 0};
  ZSTD_inBuffer in{compressed_.data(), compressed_.size(), 0};
  const std::size_t result = ZSTD_decompressStream(stream_->context, &out, &in);
  compressed_ = compressed_.subspan(in.pos);
  filled_ += out.pos;
  if (ZSTD_isError(result) != 0) {
    damage_ = ZSTD_getErrorName(result);
    compressed_ = {};
  }
  // If the buffer is full, zstd may have more output for input that it has already read.
  drained_ = damage_ != nullptr || (compressed_.empty() && out.pos < out.size);
}

Bytes Decompressor::peek(std::size_t count) {
  while (left() < count && !idle()) fill();
  return {buffer_.get() + at_, std::min(count, left())};
}

}  // namespace tacho::perfdata
