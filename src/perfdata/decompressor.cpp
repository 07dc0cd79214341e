#include "perfdata/decompressor.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tacho::perfdata {

struct Decompressor::Stream {
  Stream() : context(ZSTD_createDStream()) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { ZSTD_freeDStream(context); }
  ZSTD_DStream* context;
};

Decompressor::Decompressor(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
Decompressor::~Decompressor() {
  release();
}

bool Decompressor::available() {
  return true;
}

void Decompressor::release() {
  memory_->used -= std::exchange(used_, 0);
  stream_.reset();
  buffer_.reset();
  at_ = filled_ = 0;
  compressed_ = {};
  drained_ = true;
}

void Decompressor::stop(std::string damage) {
  damage_ = std::move(damage);
  compressed_ = {};
  drained_ = true;
}

void Decompressor::begin() {
  constexpr int kLeast = 19, kMost = 27;  // zstd's window at level 1, and at its highest level
  // A stream can have a window of all that is left. The next ones get less.
  const int largest = static_cast<int>(std::bit_width(memory_->left())) - 1;
  stream_ = std::make_unique<Stream>();
  ZSTD_DCtx_setParameter(stream_->context, ZSTD_d_windowLogMax, std::clamp(largest, kLeast, kMost));
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
}

void Decompressor::feed(Bytes compressed) {
  if (!stream_) begin();
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
  // If the buffer is full, zstd may have more output for input that it has already read.
  drained_ = compressed_.empty() && out.pos < out.size;
  if (ZSTD_isError(result) != 0)
    return stop(fmt::format("zstd says: {}", ZSTD_getErrorName(result)));
  const std::uint64_t needed = ZSTD_sizeof_DStream(stream_->context) + kBuffer;
  memory_->used += needed - std::exchange(used_, needed);
  if (memory_->used <= memory_->allowed) return;
  release();
  stop("all compressed files together need too much memory");
}

Bytes Decompressor::peek(std::size_t count) {
  while (left() < count && !idle()) fill();
  return {buffer_.get() + at_, std::min(count, left())};
}

}  // namespace tacho::perfdata
