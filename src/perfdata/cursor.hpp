// Reads values from bytes of either byte order and never past their end. A read past the end yields
// 0, and from then on ok() is false.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tacho::perfdata {

using Bytes = std::span<const std::byte>;

template <class T>
T byte_swapped(T value) {
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(value));
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(value));
  return value;
}

class Cursor {
 public:
  Cursor(Bytes bytes, bool swapped) : bytes_(bytes), swapped_(swapped) {}

  bool ok() const { return ok_; }
  bool swapped() const { return swapped_; }
  // Whether the machine that wrote the bytes is big-endian.
  bool big_endian() const { return swapped_ == (std::endian::native == std::endian::little); }
  std::size_t left() const { return bytes_.size(); }
  Bytes rest() const { return bytes_; }

  std::uint64_t u64() { return take<std::uint64_t>(); }
  std::uint32_t u32() { return take<std::uint32_t>(); }
  std::uint16_t u16() { return take<std::uint16_t>(); }
  std::uint8_t u8() { return take<std::uint8_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }

  Bytes bytes(std::uint64_t count) {
    if (count > bytes_.size()) {
      fail();
      return {};
    }
    const Bytes taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  void skip(std::uint64_t count) { bytes(count); }
  void fail() {
    ok_ = false;
    bytes_ = {};
  }

  // Reads `count` values of 64 bits into `into`, in this machine's byte order.
  void u64s(std::uint64_t count, std::vector<std::uint64_t>& into) {
    if (count > left() / 8) return fail();
    const Bytes taken = bytes(count * 8);
    into.resize(static_cast<std::size_t>(count));
    if (count == 0) return;
    std::memcpy(into.data(), taken.data(), taken.size());
    if (swapped_)
      for (std::uint64_t& value : into) value = byte_swapped(value);
  }

  // Reads `count` bytes and returns the text in them up to the first zero byte.
  std::string_view text(std::uint64_t count) {
    const Bytes taken = bytes(count);
    const std::string_view all(reinterpret_cast<const char*>(taken.data()), taken.size());
    return all.substr(0, all.find('\0'));
  }
  // Reads a string as feature sections store it: its padded length (32 bits), then the text.
  std::string_view counted_text() { return text(u32()); }

 private:
  template <class T>
  T take() {
    if (bytes_.size() < sizeof(T)) {
      fail();
      return T{0};
    }
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return swapped_ ? byte_swapped(value) : value;
  }

  Bytes bytes_;
  bool swapped_;
  bool ok_ = true;
};

}  // namespace tacho::perfdata
