// Reads values one after the other from a file that may be long, in either byte order, through a
// small buffer. A read past the end yields 0, and from then on ok() is false.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tacho::symbols {

class Window {
 public:
  // `read` reads bytes at an offset of the file and returns how many there are.
  Window(std::function<std::size_t(std::uint64_t, std::span<std::byte>)> read, std::uint64_t size,
         std::uint64_t at = 0, bool swapped = false)
      : read_(std::move(read)), size_(size), at_(std::min(at, size)), swapped_(swapped) {}

  bool ok() const { return ok_; }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return size_ - at_; }
  void set_swapped(bool swapped) { swapped_ = swapped; }
  void go_to(std::uint64_t offset) {
    ok_ = ok_ && offset <= size_;
    at_ = std::min(offset, size_);
  }
  void skip(std::uint64_t bytes) {
    ok_ = ok_ && bytes <= left();
    at_ += std::min(bytes, left());
  }

  std::uint32_t u32() {
    const auto value = take<std::uint32_t>();
    return swapped_ ? __builtin_bswap32(value) : value;
  }
  std::uint64_t u64() {
    const auto value = take<std::uint64_t>();
    return swapped_ ? __builtin_bswap64(value) : value;
  }

  // The text up to the next zero byte, which is skipped. Nothing if that byte is not before `end`.
  std::optional<std::string> text(std::uint64_t end) {
    std::string found;
    while (at_ < end) {
      const std::span<const std::byte> here = buffered();
      if (here.empty()) break;
      const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(here.size(), end - at_));
      const auto* zero = static_cast<const std::byte*>(std::memchr(here.data(), 0, most));
      const std::size_t length =
          zero == nullptr ? most : static_cast<std::size_t>(zero - here.data());
      found.append(reinterpret_cast<const char*>(here.data()), length);
      at_ += length;
      if (zero == nullptr) continue;
      ++at_;
      return found;
    }
    ok_ = false;
    return std::nullopt;
  }

 private:
  template <class T>
  T take() {
    T value{};
    if (buffered().size() < sizeof value) refill();
    if (const auto here = buffered(); here.size() >= sizeof value) {
      std::memcpy(&value, here.data(), sizeof value);
      at_ += sizeof value;
    } else {
      ok_ = false;
      at_ = size_;
    }
    return value;
  }

  // The bytes from at_ on that are in the buffer; at least one, unless the file ends here.
  std::span<const std::byte> buffered() {
    if (at_ < begin_ || at_ >= begin_ + filled_) refill();
    return std::span<const std::byte>(buffer_).first(filled_).subspan(
        static_cast<std::size_t>(at_ - begin_));
  }
  void refill() {
    begin_ = at_;
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), left()));
    filled_ = read_(begin_, std::span(buffer_).first(most));
  }

  std::function<std::size_t(std::uint64_t, std::span<std::byte>)> read_;
  std::uint64_t size_, at_;
  bool swapped_, ok_ = true;
  std::array<std::byte, 16384> buffer_{};
  std::uint64_t begin_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace tacho::symbols
