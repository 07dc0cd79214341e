// Characters of UTF-8 text: which of them a reader can see, and how wide they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tacho {

// The character at the start of a text, or one byte that belongs to no well-formed character.
struct Character {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::string_view bytes;
  std::uint32_t value = kNone;  // of Unicode
};

// `text` must not be empty. Overlong forms, surrogates and values above U+10FFFF are not well
// formed.
Character first_character(std::string_view text);

// Whether the character can't be seen as itself. Such characters control a terminal (C0 and C1),
// separate lines, change the direction of the text beside them, or have no width. By category: Cc,
// Cf, Zl and Zp, and those that a program may leave invisible (Default_Ignorable_Code_Point).
bool is_invisible(std::uint32_t value);

// Columns of a terminal: 2 for Chinese, Japanese and Korean characters and for pictures, 0 for
// marks that combine with the character before them, else 1. The tables have the main blocks only.
std::size_t columns_of(std::uint32_t value);

// Returns the number of bytes, from `at` on, that are visible ASCII characters or spaces.
std::size_t plain_bytes(std::string_view text, std::size_t at = 0);

}  // namespace tacho
