// Builds a sequence of bytes from plain values, in this machine's byte order.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacho {

class ByteWriter {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(std::as_bytes(std::span(&value, 1)));
  }
  void add_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // Adds the text, a zero byte, and more zeros up to a multiple of `alignment` bytes. Returns the
  // number of bytes added.
  std::size_t add_padded(std::string_view text, std::size_t alignment) {
    const std::size_t size = (text.size() + alignment) / alignment * alignment;
    add_bytes(std::as_bytes(std::span(text)));
    bytes_.resize(bytes_.size() + size - text.size());
    return size;
  }
  template <class T>
  void set(std::size_t at, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace tacho
