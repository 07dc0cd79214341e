#include "base/characters.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace tacho {
namespace {

struct CharacterRange {
  std::uint32_t first, last;
};

// The Unicode Standard, version 15: UnicodeData.txt and DerivedCoreProperties.txt. A range of code
// points that are reserved for such characters is whole.
constexpr std::array kInvisible{CharacterRange{0x00, 0x1F},       CharacterRange{0x7F, 0x9F},
                                CharacterRange{0xAD, 0xAD},       CharacterRange{0x34F, 0x34F},
                                CharacterRange{0x600, 0x605},     CharacterRange{0x61C, 0x61C},
                                CharacterRange{0x6DD, 0x6DD},     CharacterRange{0x70F, 0x70F},
                                CharacterRange{0x890, 0x891},     CharacterRange{0x8E2, 0x8E2},
                                CharacterRange{0x115F, 0x1160},   CharacterRange{0x17B4, 0x17B5},
                                CharacterRange{0x180B, 0x180F},   CharacterRange{0x200B, 0x200F},
                                CharacterRange{0x2028, 0x202E},   CharacterRange{0x2060, 0x206F},
                                CharacterRange{0x3164, 0x3164},   CharacterRange{0xFE00, 0xFE0F},
                                CharacterRange{0xFEFF, 0xFEFF},   CharacterRange{0xFFA0, 0xFFA0},
                                CharacterRange{0xFFF0, 0xFFFB},   CharacterRange{0x110BD, 0x110BD},
                                CharacterRange{0x110CD, 0x110CD}, CharacterRange{0x13430, 0x1343F},
                                CharacterRange{0x1BCA0, 0x1BCA3}, CharacterRange{0x1D173, 0x1D17A},
                                CharacterRange{0xE0000, 0xE0FFF}};

// EastAsianWidth.txt: W and F.
constexpr std::array kWide{CharacterRange{0x1100, 0x115F},   CharacterRange{0x231A, 0x231B},
                           CharacterRange{0x23E9, 0x23EC},   CharacterRange{0x2614, 0x2615},
                           CharacterRange{0x2648, 0x2653},   CharacterRange{0x26AA, 0x26AB},
                           CharacterRange{0x26BD, 0x26BE},   CharacterRange{0x2705, 0x2705},
                           CharacterRange{0x270A, 0x270B},   CharacterRange{0x2728, 0x2728},
                           CharacterRange{0x274C, 0x274C},   CharacterRange{0x2753, 0x2755},
                           CharacterRange{0x2757, 0x2757},   CharacterRange{0x2795, 0x2797},
                           CharacterRange{0x2B1B, 0x2B1C},   CharacterRange{0x2B50, 0x2B50},
                           CharacterRange{0x2B55, 0x2B55},   CharacterRange{0x2E80, 0x303E},
                           CharacterRange{0x3041, 0x4DBF},   CharacterRange{0x4E00, 0xA4CF},
                           CharacterRange{0xA960, 0xA97F},   CharacterRange{0xAC00, 0xD7A3},
                           CharacterRange{0xF900, 0xFAFF},   CharacterRange{0xFE30, 0xFE6F},
                           CharacterRange{0xFF01, 0xFF60},   CharacterRange{0xFFE0, 0xFFE6},
                           CharacterRange{0x16FE0, 0x18CFF}, CharacterRange{0x1B000, 0x1B2FF},
                           CharacterRange{0x1F300, 0x1F320}, CharacterRange{0x1F330, 0x1F393},
                           CharacterRange{0x1F3A0, 0x1F3CA}, CharacterRange{0x1F3E0, 0x1F3F0},
                           CharacterRange{0x1F400, 0x1F53D}, CharacterRange{0x1F550, 0x1F567},
                           CharacterRange{0x1F5FB, 0x1F64F}, CharacterRange{0x1F680, 0x1F6C5},
                           CharacterRange{0x1F900, 0x1F9FF}, CharacterRange{0x1FA70, 0x1FAFF},
                           CharacterRange{0x20000, 0x3FFFD}};

// UnicodeData.txt: Mn and Me.
constexpr std::array kCombining{
    CharacterRange{0x300, 0x36F},   CharacterRange{0x483, 0x489},   CharacterRange{0x591, 0x5BD},
    CharacterRange{0x610, 0x61A},   CharacterRange{0x64B, 0x65F},   CharacterRange{0xE34, 0xE3A},
    CharacterRange{0xE47, 0xE4E},   CharacterRange{0x1AB0, 0x1ACE}, CharacterRange{0x1DC0, 0x1DFF},
    CharacterRange{0x20D0, 0x20F0}, CharacterRange{0x302A, 0x302D}, CharacterRange{0x3099, 0x309A},
    CharacterRange{0xFE20, 0xFE2F}};

bool is_in(std::uint32_t value, std::span<const CharacterRange> ranges) {
  const auto found = std::ranges::lower_bound(ranges, value, {}, &CharacterRange::last);
  return found != ranges.end() && found->first <= value;
}

bool is_plain_byte(char c) {
  return c >= ' ' && c <= '~';
}

// Whether all 8 bytes are plain: the high bit of each byte of a term shows that this one is not.
bool are_plain(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kHigh = 0x80 * kEach;
  const std::uint64_t below_space = bytes - 0x20 * kEach;
  const std::uint64_t is_delete = (bytes ^ 0x7F * kEach) - kEach;
  return ((bytes | below_space | is_delete) & kHigh) == 0;
}

// Bytes of the character that begins with this one; 0 if none does.
std::size_t size_by_lead(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

}  // namespace

// The Unicode Standard, table 3-7; the value is checked for its stricter rules.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = size_by_lead(byte(0));
  const Character none{text.substr(0, 1)};
  if (size == 0 || size > text.size()) return none;
  if (size == 1) return {text.substr(0, 1), byte(0)};
  std::uint32_t value = byte(0) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return none;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};  // by size
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast.at(size) || value > 0x10FFFF || surrogate) return none;
  return {text.substr(0, size), value};
}

bool is_invisible(std::uint32_t value) {
  return is_in(value, kInvisible);
}

std::size_t columns_of(std::uint32_t value) {
  if (value < kCombining.front().first) return 1;
  if (is_in(value, kCombining)) return 0;
  return is_in(value, kWide) ? 2 : 1;
}

std::size_t plain_bytes(std::string_view text, std::size_t at) {
  const std::size_t start = at;
  for (std::uint64_t word = 0; text.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if (!are_plain(word)) break;
  }
  while (at < text.size() && is_plain_byte(text[at])) ++at;
  return at - start;
}

}  // namespace tacho
