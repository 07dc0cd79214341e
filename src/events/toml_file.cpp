#include "events/toml_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <vector>

#include "events/spelling.hpp"
#include "events/unsafe_toml.hpp"

namespace tacho {
namespace {

// Whether a name, a unit or a note would not be a part of one line, or would control a terminal.
bool is_on_one_line(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// The first text within a value that is not on one line; nullptr if all are. The parser has limited
// the depth.
const toml::node* broken_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return is_on_one_line(text->get()) ? nullptr : &node;
  if (const auto* array = node.as_array())
    for (const toml::node& each : *array)
      if (const toml::node* broken = broken_text(each)) return broken;
  if (const auto* table = node.as_table())
    for (const auto& [key, each] : *table) {
      if (!is_on_one_line(key.str())) return &each;
      if (const toml::node* broken = broken_text(each)) return broken;
    }
  return nullptr;
}

// Entries of one array. toml++ accepts numbers and texts of any size; tacho's own arrays are far
// shorter than this.
constexpr std::size_t kMostEntries = 1024;

}  // namespace

std::unexpected<Error> TomlFile::bad(const toml::source_region& where, std::string_view reason,
                                     std::string_view remedy) const {
  return failure(fmt::format("{}:{}: {}", path_, where.begin.line, reason), std::string(remedy));
}

Result<toml::table> TomlFile::parse(std::string_view text) const {
  if (const auto line = unsafe_toml_line(text))
    return failure(fmt::format("{}:{}: {}", path_, line->number, line->what),
                   std::string(line->remedy));
  try {
    toml::table table = toml::parse(text, path_);
    if (const toml::node* broken = broken_text(table))
      return bad(broken->source(), "a text has a line end or another control character",
                 "write it on one line");
    return table;
  } catch (const toml::parse_error& error) {
    return bad(error.source(), error.description(), "correct the file's TOML; see https://toml.io");
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the file
  } catch (const std::exception& error) {
    return failure(fmt::format("{}: {}", path_, error.what()), "correct the file's TOML");
  }
}

Result<void> TomlFile::check_keys(const toml::table& table,
                                  std::span<const std::string_view> known) const {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    std::string remedy = did_you_mean(key.str(), names);
    if (remedy.empty()) remedy = fmt::format("the keys here are {}", fmt::join(known, ", "));
    return bad(key.source(), fmt::format("unknown key '{}'", key.str()), remedy);
  }
  return {};
}

Result<std::string> TomlFile::text(const toml::table& table, std::string_view key,
                                   bool needed) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (!needed) return std::string();
    return bad(table.source(), fmt::format("'{}' is missing", key),
               fmt::format("add {} = \"…\"", key));
  }
  if (const auto* value = node->as_string(); value != nullptr && !value->get().empty())
    return value->get();
  return bad(node->source(), fmt::format("'{}' is not a text, or is empty", key),
             fmt::format("write {} = \"…\"", key));
}

Result<const toml::array*> TomlFile::array(const toml::table& table, std::string_view key,
                                           std::string_view example) const {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return bad(table.source(), fmt::format("'{}' is missing", key), fmt::format("add {}", example));
  const toml::array* array = node->as_array();
  if (array == nullptr)
    return bad(node->source(), fmt::format("'{}' is not an array", key),
               fmt::format("write {}", example));
  if (array->empty() || array->size() > kMostEntries)
    return bad(node->source(), fmt::format("'{}' has {} entries", key, array->size()),
               fmt::format("from 1 to {} make sense", kMostEntries));
  return array;
}

}  // namespace tacho
