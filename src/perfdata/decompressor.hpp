// The records inside COMPRESSED records: one stream of zstd through all of them, in which a record
// may begin in one and end in the next.
#pragma once

#include <cstddef>
#include <memory>

#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Without zstd in this build nothing is decompressed.
  static bool available();

  // The next piece of the stream; to stay where it is until peek() has given less than asked for.
  void feed(Bytes compressed);
  // Whether all of what was fed has been taken.
  bool empty() const { return idle() && left() == 0; }

  // The next `count` bytes, of at most 64 KB; fewer when what was fed does not hold them, or after
  // an error. Valid until the next call.
  Bytes peek(std::size_t count);
  void take(std::size_t count) { at_ += count; }
  // Of a record that has not ended yet.
  std::size_t left() const { return filled_ - at_; }

  // What zstd says of the stream's damage; nullptr as long as there is none.
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
  bool drained_ = true;  // the stream holds nothing back
  const char* damage_ = nullptr;
};

}  // namespace tacho::perfdata
