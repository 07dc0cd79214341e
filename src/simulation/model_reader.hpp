// Reads a model's values from its TOML, table by table. Keeps the first error, with its line, and
// continues; the values read after it are not used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/toml_file.hpp"
#include "simulation/model_limits.hpp"

namespace tacho {

// A word of the file and its meaning.
template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : file_(path) {}

  // Reads the whole text. Only the keys in `known` are allowed at its top level.
  void parse(std::string_view text, std::span<const std::string_view> known);

  bool has(std::string_view table) const { return root_.contains(table); }
  // A text at the top level; empty if it is missing and not needed.
  std::string text(std::string_view key, bool needed);

  // Whether the top level has KEY = "WORD" instead of a table [KEY].
  bool is_word(std::string_view key, std::string_view word) const {
    return root_[key].value_exact<std::string_view>() == word;
  }

  // The first error.
  const std::optional<Error>& error() const { return error_; }

 private:
  friend class ModelSection;

  void refuse(const toml::source_region& where, std::string_view reason, std::string_view remedy);

  TomlFile file_;
  toml::table root_;
  std::optional<Error> error_;
};

// One table of the file. A missing table is an error, and is then read like an empty one.
class ModelSection {
 public:
  ModelSection(ModelReader& reader, std::string_view name, std::span<const std::string_view> known);

  bool has(std::string_view key) const { return table_->contains(key); }
  bool flag(std::string_view key);
  std::string text(std::string_view key, std::string_view example);
  std::uint64_t number(std::string_view key, Limits limits);
  double decimal(std::string_view key, Limits limits);
  unsigned small(std::string_view key, Limits limits) {  // the limits fit `unsigned`
    return static_cast<unsigned>(number(key, limits));
  }
  // A list of rising numbers. `count` limits how many there are.
  std::vector<unsigned> rising(std::string_view key, Limits count, Limits limits);
  unsigned power_of_two(std::string_view key, Limits limits);
  // A number of bytes, or a quoted number with the suffix K, M or G.
  std::uint64_t bytes(std::string_view key, Limits limits);

  template <class Value>
  Value word(std::string_view key, std::span<const Word<Value>> words) {
    std::vector<std::string> names;
    for (const Word<Value>& each : words) names.emplace_back(each.name);
    return words[index_of(key, names)].value;
  }

  // "TABLE: " and the text of the key `source`.
  std::string source();

  // Notes an error at the key's value, or at the table if the key is missing.
  void refuse(std::string_view key, std::string_view reason, std::string_view remedy);

 private:
  const toml::node* needed(std::string_view key, std::string_view example);
  std::uint64_t within(std::string_view key, std::int64_t value, Limits limits);
  std::size_t index_of(std::string_view key, std::span<const std::string> words);

  ModelReader& reader_;
  std::string name_;
  const toml::table* table_;
};

}  // namespace tacho
