// The bytes of a recording, in order, through a buffer: of a file, which can also be read at any
// place, or of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

class Input {
 public:
  // "-" is standard input, which may be a file too.
  static Result<Input> open(const std::string& path);

  const std::string& name() const { return name_; }
  // Of a file; nothing of a stream.
  std::optional<std::uint64_t> size() const { return size_; }
  // `count` bytes of a file from `offset` on; fewer where the file ends.
  Result<std::size_t> read_at(std::uint64_t offset, std::byte* into, std::size_t count) const;

  // Where peek() reads: behind what was taken.
  std::uint64_t offset() const { return offset_; }
  // The next `count` bytes, of at most 64 KB; fewer at the end, and after an error, which trouble()
  // tells. Valid until the next call.
  Bytes peek(std::size_t count) {
    if (filled_ - at_ < count) fill(count);
    return {buffer_.get() + at_, std::min(count, filled_ - at_)};
  }
  void take(std::size_t count) {
    at_ += count;
    offset_ += count;
  }
  // Goes on at `offset` of a file, up to `end`.
  void seek(std::uint64_t offset, std::uint64_t end);
  // False when there are not that many.
  bool skip(std::uint64_t count);
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  Input(Fd owned, int fd, std::string name);
  void fill(std::size_t count);

  static constexpr std::size_t kBuffer = std::size_t{256} << 10;
  Fd owned_;  // none: standard input
  int fd_;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t end_;  // of what peek() gives
  std::optional<Error> trouble_;
};

}  // namespace tacho::perfdata
