// Reads the bytes of a recording in order through a buffer, from a file or a stream. A file can
// also be read at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "perfdata/cursor.hpp"

namespace tacho::perfdata {

class Input {
 public:
  // "-" is standard input, which may be a file too.
  static Result<Input> open(const std::string& path);
  // A file that is open already, of `size` bytes.
  static Input of_file(Fd file, std::uint64_t size, std::string name);

  const std::string& name() const { return name_; }
  // The size of a file in bytes; nullopt for a stream.
  std::optional<std::uint64_t> size() const { return size_; }
  // Reads `count` bytes of a file from `offset` on, fewer at the file's end. Returns their number.
  Result<std::size_t> read_at(std::uint64_t offset, std::byte* into, std::size_t count) const;

  // The offset of the bytes that peek() returns next.
  std::uint64_t offset() const { return offset_; }
  // Returns the next `count` bytes (at most 64 KiB). Returns fewer at the end, and after an error,
  // which error() then has. Valid until the next call.
  Bytes peek(std::size_t count) {
    if (filled_ - at_ < count) fill(count);
    return {buffer_.get() + at_, std::min(count, filled_ - at_)};
  }
  void take(std::size_t count) {
    at_ += count;
    offset_ += count;
  }
  // Continues at `offset` of a file and ends at `end`.
  void seek(std::uint64_t offset, std::uint64_t end);
  // Returns false if fewer than `count` bytes are left.
  bool skip(std::uint64_t count);
  // Takes `count` bytes; fewer if fewer are left.
  std::vector<std::byte> take_bytes(std::size_t count);
  const std::optional<Error>& error() const { return error_; }

 private:
  Input(Fd owned, int fd, std::string name);
  void fill(std::size_t count);

  static constexpr std::size_t kBuffer = std::size_t{256} << 10;
  Fd owned_;  // closed for standard input
  int fd_;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_ = 0, at_ = 0, filled_ = 0;  // bytes of the buffer
  std::uint64_t offset_ = 0;
  std::uint64_t end_;  // the offset at which peek() ends
  std::optional<Error> error_;
};

}  // namespace tacho::perfdata
