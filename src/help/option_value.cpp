#include "help/option_value.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace tacho {
namespace {

std::string braced(const std::vector<std::string>& words) {
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

// CLI11 asks for the description only when it prints a type's name.
struct Offering : CLI::Validator {
  explicit Offering(std::function<std::vector<std::string>()> words) {
    desc_function_ = [words = std::move(words)] { return braced(words()); };
  }
};

}  // namespace

std::string as_decimal(const std::string& text) {
  if (text.find_first_of("xX") != text.npos) return {};
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t first = std::min(text.find_first_not_of('0', sign), text.size());
  // A zero stays before what is no digit, as in 0.5, and of zeros alone.
  const bool digit = first < text.size() && text[first] >= '0' && text[first] <= '9';
  std::string without = text;
  if (first > sign) without.erase(sign, first - sign - (digit ? 0 : 1));
  return without;
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = braced(words);
  return CLI::Validator(
      [words = std::move(words)](const std::string& text) {
        return std::ranges::find(words, text) != words.end()
                   ? std::string()
                   : fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
      },
      list);
}

CLI::Validator offers(std::function<std::vector<std::string>()> words) {
  return Offering(std::move(words));
}

// A type's name is "KIND:{auto,hardware}". The words are only there: CLI11 keeps no others.
std::vector<std::string> offered_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find(":{");
  if (begin == type.npos) return {};
  std::vector<std::string> words;
  std::istringstream list(type.substr(begin + 2, type.rfind('}') - begin - 2));
  for (std::string word; std::getline(list, word, ',');) words.push_back(std::move(word));
  return words;
}

}  // namespace tacho
