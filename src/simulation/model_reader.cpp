#include "simulation/model_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "events/spelling.hpp"

namespace tacho {
namespace {

// Converts "32K" to 32,768; nothing if the text has another form or the value is 2^63 or more.
std::optional<std::int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  std::int64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [behind, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || value < 0) return std::nullopt;
  if (behind == end) return value;
  const std::size_t unit = kUnits.find(*behind);
  if (unit == std::string_view::npos || behind + 1 != end) return std::nullopt;
  const std::size_t shift = 10 * (unit + 1);
  if (value > INT64_MAX >> shift) return std::nullopt;
  return value << shift;
}

}  // namespace

void ModelReader::parse(std::string_view text, std::span<const std::string_view> known) {
  auto table = file_.parse(text);
  if (!table) {
    error_ = table.error();
    return;
  }
  root_ = std::move(*table);
  if (auto good = file_.check_keys(root_, known); !good) error_ = good.error();
}

std::string ModelReader::text(std::string_view key, bool needed) {
  auto text = file_.text(root_, key, needed);
  if (text) return std::move(*text);
  if (!error_) error_ = text.error();
  return {};
}

void ModelReader::refuse(const toml::source_region& where, std::string_view reason,
                         std::string_view remedy) {
  if (!error_) error_ = file_.bad(where, reason, remedy).error();
}

ModelSection::ModelSection(ModelReader& reader, std::string_view name,
                           std::span<const std::string_view> known)
    : reader_(reader), name_(name) {
  static const toml::table nothing;
  table_ = &nothing;
  const toml::node* node = reader.root_.get(name);
  if (node == nullptr) {
    reader.refuse(reader.root_.source(), fmt::format("the table [{}] is missing", name),
                  fmt::format("add [{}] with {}", name, fmt::join(known, ", ")));
  } else if (!node->is_table()) {
    reader.refuse(node->source(), fmt::format("'{}' is not a table", name),
                  fmt::format("write [{}] on a line of its own", name));
  } else {
    table_ = node->as_table();
    if (auto good = reader.file_.check_keys(*table_, known); !good && !reader.error_)
      reader.error_ = good.error();
  }
}

const toml::node* ModelSection::needed(std::string_view key, std::string_view example) {
  const toml::node* node = table_->get(key);
  if (node == nullptr)
    reader_.refuse(table_->source(), fmt::format("'{}' of [{}] is missing", key, name_),
                   fmt::format("add {} = {}", key, example));
  return node;
}

bool ModelSection::flag(std::string_view key) {
  const toml::node* node = needed(key, "true or false");
  if (node == nullptr) return false;
  if (const auto* value = node->as_boolean()) return value->get();
  refuse(key, "is neither true nor false", fmt::format("write {} = true or false", key));
  return false;
}

std::string ModelSection::text(std::string_view key, std::string_view example) {
  const toml::node* node = needed(key, example);
  if (node == nullptr) return {};
  if (const auto* value = node->as_string(); value != nullptr && !value->get().empty())
    return value->get();
  refuse(key, "is not a text", fmt::format("write {} = {}", key, example));
  return {};
}

std::uint64_t ModelSection::within(std::string_view key, std::int64_t value, Limits limits) {
  if (value >= 0 && static_cast<std::uint64_t>(value) >= limits.least &&
      static_cast<std::uint64_t>(value) <= limits.most)
    return static_cast<std::uint64_t>(value);
  refuse(key, fmt::format("is {}", value),
         fmt::format("it must be from {} to {}", limits.least, limits.most));
  return limits.least;
}

std::uint64_t ModelSection::number(std::string_view key, Limits limits) {
  const toml::node* node = needed(key, fmt::format("{} or more", limits.least));
  if (node == nullptr) return limits.least;
  if (const auto* value = node->as_integer()) return within(key, value->get(), limits);
  refuse(key, "is not a whole number", fmt::format("write {} = {} or more", key, limits.least));
  return limits.least;
}

double ModelSection::decimal(std::string_view key, Limits limits) {
  const toml::node* node = needed(key, "9.2");
  if (node == nullptr) return 0;
  const auto value = node->value<double>();
  if (node->is_number() && value && *value >= static_cast<double>(limits.least) &&
      *value <= static_cast<double>(limits.most))
    return *value;
  refuse(key, fmt::format("is not a number from {} to {}", limits.least, limits.most),
         fmt::format("write {} = 9.2", key));
  return 0;
}

std::vector<unsigned> ModelSection::rising(std::string_view key, Limits count, Limits limits) {
  const std::string remedy =
      fmt::format("write {} = [4, 8, 16]: {} to {} rising whole numbers from {} to {}", key,
                  count.least, count.most, limits.least, limits.most);
  const toml::node* node = needed(key, "[4, 8, 16]");
  if (node == nullptr) return {};
  const toml::array* list = node->as_array();
  std::vector<unsigned> numbers;
  bool good = list != nullptr && list->size() >= count.least && list->size() <= count.most;
  for (std::size_t i = 0; good && i < list->size(); ++i) {
    const std::int64_t value = (*list)[i].value_exact<std::int64_t>().value_or(-1);
    const std::int64_t least = numbers.empty() ? static_cast<std::int64_t>(limits.least)
                                               : std::int64_t{numbers.back()} + 1;
    good = value >= least && value <= static_cast<std::int64_t>(limits.most);
    if (good) numbers.push_back(static_cast<unsigned>(value));
  }
  if (!good) refuse(key, "is not a list of rising whole numbers within its limits", remedy);
  return numbers;
}

unsigned ModelSection::power_of_two(std::string_view key, Limits limits) {
  const unsigned value = small(key, limits);
  if (!std::has_single_bit(value))
    refuse(key, fmt::format("is {}, which is not a power of two", value),
           fmt::format("{} and {} are the nearest", std::bit_floor(value), std::bit_ceil(value)));
  return value;
}

std::uint64_t ModelSection::bytes(std::string_view key, Limits limits) {
  const toml::node* node = needed(key, "\"32K\"");
  if (node == nullptr) return limits.least;
  std::optional<std::int64_t> value;
  if (const auto* whole = node->as_integer()) value = whole->get();
  if (const auto* text = node->as_string()) value = parse_bytes(text->get());
  if (value) return within(key, *value, limits);
  refuse(key, "is not a number of bytes",
         fmt::format("write {} = 32768 or \"32K\"; also M, G", key));
  return limits.least;
}

std::size_t ModelSection::index_of(std::string_view key, std::span<const std::string> words) {
  const std::string all = fmt::format("\"{}\"", fmt::join(words, "\" or \""));
  const toml::node* node = needed(key, all);
  if (node == nullptr) return 0;
  if (const auto* text = node->as_string()) {
    const auto found = std::ranges::find(words, text->get());
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string remedy = did_you_mean(text->get(), words);
    if (remedy.empty()) remedy = "write " + all;
    refuse(key, fmt::format("is '{}'", text->get().substr(0, 40)), remedy);
  } else {
    refuse(key, "is not a text", "write " + all);
  }
  return 0;
}

std::string ModelSection::source() {
  const auto text = reader_.file_.text(*table_, "source", true);
  if (text) return fmt::format("{}: {}", name_, *text);
  if (!reader_.error_) reader_.error_ = text.error();
  return {};
}

void ModelSection::refuse(std::string_view key, std::string_view reason, std::string_view remedy) {
  const toml::node* node = table_->get(key);
  reader_.refuse(node != nullptr ? node->source() : table_->source(),
                 fmt::format("'{}' of [{}] {}", key, name_, reason), remedy);
}

}  // namespace tacho
