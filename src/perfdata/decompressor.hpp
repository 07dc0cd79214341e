// Decompresses the records inside COMPRESSED records. All of them together are one zstd stream, so
// a record may begin in one COMPRESSED record and end in the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // False if tacho was built without zstd.
  static bool available();

  // The largest window that a stream may have: zstd keeps so many bytes in memory. Called before
  // feed().
  void allow_window(std::uint64_t bytes);

  // Adds the next piece of the stream. The caller keeps the bytes in place until peek() returns
  // fewer bytes than it asked for.
  void feed(Bytes compressed);
  // Whether take() has taken everything that was fed.
  bool empty() const { return idle() && left() == 0; }

  // Returns the next `count` bytes (at most 64 KiB). Returns fewer if the bytes fed so far do not
  // contain them, or after an error. Valid until the next call.
  Bytes peek(std::size_t count);
  void take(std::size_t count) { at_ += count; }
  // Decompressed bytes that were not taken yet: the beginning of an incomplete record.
  std::size_t left() const { return filled_ - at_; }

  // zstd's name for the damage in the stream; nullptr if there is none.
  const char* damage() const { return damage_; }

 private:
  struct Stream;
  bool idle() const { return compressed_.empty() && drained_; }
  void fill();

  static constexpr std::size_t kBuffer = std::size_t{128} << 10;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  Bytes compressed_;
  bool drained_ = true;  // zstd has no more output for the input so far
  const char* damage_ = nullptr;
  int window_log_ = 27;  // of the largest window: zstd's own default, 128 MiB
};

}  // namespace tacho::perfdata
