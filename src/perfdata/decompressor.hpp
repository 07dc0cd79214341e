// Decompresses the records inside COMPRESSED records. All of them together are one zstd stream, so
// a record may begin in one COMPRESSED record and end in the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

class Decompressor {
 public:
  // Bytes that zstd needs for the files of a recording together. A stream returns its bytes when it
  // is released.
  struct Memory {
    std::uint64_t allowed = 0, used = 0;
    std::uint64_t left() const { return allowed - std::min(allowed, used); }
  };

  explicit Decompressor(std::shared_ptr<Memory>);
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // False if tacho was built without zstd.
  static bool available();

  // Adds the next piece of the stream. The caller keeps the bytes in place until peek() returns
  // fewer bytes than it asked for.
  void feed(Bytes compressed);
  // Whether take() has taken everything that was fed. False after an error.
  bool empty() const { return idle() && left() == 0 && damage_.empty(); }

  // Returns the next `count` bytes (at most 64 KiB). Returns fewer if the bytes fed so far do not
  // contain them, or after an error. Valid until the next call.
  Bytes peek(std::size_t count);
  void take(std::size_t count) { at_ += count; }
  // Decompressed bytes that were not taken yet: the beginning of an incomplete record.
  std::size_t left() const { return filled_ - at_; }

  // Why the stream can't be read on: it is damaged, or takes too much memory. Empty if it can.
  const std::string& damage() const { return damage_; }
  // Called when nothing more is to be read.
  void release();

 private:
  struct Stream;
  bool idle() const { return compressed_.empty() && drained_; }
  void begin();
  void fill();
  void stop(std::string damage);

  static constexpr std::size_t kBuffer = std::size_t{128} << 10;
  std::shared_ptr<Memory> memory_;
  std::uint64_t used_ = 0;  // bytes of memory_
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  Bytes compressed_;
  bool drained_ = true;  // zstd has no more output for the input so far
  std::string damage_;
};

}  // namespace tacho::perfdata
