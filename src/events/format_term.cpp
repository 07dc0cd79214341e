#include "events/format_term.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace tacho {
namespace {

constexpr unsigned kWordBits = 64;
constexpr std::size_t kMostRanges = 64;  // of bits, in one format: as many as a word has bits

// Removes a bit number from the front of the text.
bool take_bit(std::string_view& text, unsigned& bit) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bit);
  if (error != std::errc() || bit >= kWordBits) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

unsigned FormatTerm::width() const {
  unsigned sum = 0;
  for (const Bits& range : bits) sum += range.last - range.first + 1;
  return sum;
}

std::uint64_t FormatTerm::greatest() const {
  return width() >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << width()) - 1;
}

void FormatTerm::set(std::uint64_t value, Event& event) const {
  std::uint64_t& target = config_word(event, word);
  for (const Bits& range : bits) {
    for (unsigned bit = range.first; bit <= range.last; ++bit) {
      target |= (value & 1) << bit;
      value >>= 1;
    }
  }
}

Result<FormatTerm> parse_format(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto bad = [text] {
    return failure(fmt::format("its format '{}' is not like config:0-7", text.substr(0, 80)));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad();
  FormatTerm term;
  while (term.word < kConfigWords.size() && kConfigWords[term.word] != text.substr(0, colon))
    ++term.word;
  if (term.word == kConfigWords.size()) return bad();
  std::string_view rest = text.substr(colon + 1);
  do {
    FormatTerm::Bits range{};
    if (!take_bit(rest, range.first)) return bad();
    range.last = range.first;
    if (take(rest, '-') && !take_bit(rest, range.last)) return bad();
    if (range.last < range.first || term.bits.size() == kMostRanges) return bad();
    term.bits.push_back(range);
  } while (take(rest, ','));
  if (!rest.empty() || term.width() > kWordBits) return bad();
  return term;
}

std::uint64_t& config_word(Event& event, unsigned word) {
  switch (word) {
    case 1:
      return event.config1;
    case 2:
      return event.config2;
    case 3:
      return event.config3;
    default:
      return event.config;
  }
}

Result<std::uint64_t> parse_number(std::string_view text) {
  std::string_view digits = text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range)
    return failure(fmt::format("'{}' does not fit 64 bits", text));
  if (error != std::errc() || end != digits.data() + digits.size())
    return failure(fmt::format("'{}' is not a number (decimal, or 0x and hexadecimal)", text));
  return value;
}

}  // namespace tacho
