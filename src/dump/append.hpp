// Appends numbers and strings to a text. These few functions write most of what tacho dump prints;
// they are several times faster than a format string.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacho {

// Right-aligned in `width` columns.
inline void append_right(std::string& text, std::string_view word, std::size_t width) {
  if (word.size() < width) text.append(width - word.size(), ' ');
  text += word;
}
// Left-aligned in `width` columns.
inline void append_left(std::string& text, std::string_view word, std::size_t width) {
  text += word;
  if (word.size() < width) text.append(width - word.size(), ' ');
}

// The digits of a number in a buffer of its own.
class Digits {
 public:
  template <class Number>
  explicit Digits(Number value, int base = 10)
      : end_(std::to_chars(buffer_, buffer_ + sizeof(buffer_), value, base).ptr) {}
  std::string_view text() const { return {buffer_, static_cast<std::size_t>(end_ - buffer_)}; }

 private:
  char buffer_[24];  // 20 digits of 64 bits, and a sign
  char* end_;
};

template <class Number>
void append_decimal(std::string& text, Number value, std::size_t width = 0) {
  append_right(text, Digits(value).text(), width);
}
inline void append_hex(std::string& text, std::uint64_t value, std::size_t width = 0) {
  append_right(text, Digits(value, 16).text(), width);
}
// With zeros in front.
inline void append_zero_padded(std::string& text, std::uint64_t value, std::size_t width) {
  const Digits digits(value);
  if (digits.text().size() < width) text.append(width - digits.text().size(), '0');
  text += digits.text();
}

}  // namespace tacho
