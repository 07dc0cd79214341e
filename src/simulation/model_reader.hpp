// Takes a model's values out of its TOML, table by table. What is wrong is an error with the line;
// the first one is kept, and what is read after it is of no use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/toml_file.hpp"
#include "simulation/limits.hpp"

namespace tacho {

// A word of the file and what it stands for.
template <class Value>
struct Word {
  std::string_view name;
  Value value;
};

class ModelReader {
 public:
  explicit ModelReader(const std::string& path) : file_(path) {}

  // Reads the whole text; its top level may have these keys only.
  void parse(std::string_view text, std::span<const std::string_view> known);

  bool has(std::string_view table) const { return root_.contains(table); }
  // Of the top level; empty where there is none and none is needed.
  std::string text(std::string_view key, bool needed);

  // The first thing that was wrong.
  const std::optional<Error>& error() const { return error_; }

 private:
  friend class ModelSection;

  void refuse(const toml::source_region& where, std::string_view reason, std::string_view remedy);

  TomlFile file_;
  toml::table root_;
  std::optional<Error> error_;
};

// One table of the file. A table that is missing is an error, and reads as if it were empty.
class ModelSection {
 public:
  ModelSection(ModelReader& reader, std::string_view name, std::span<const std::string_view> known);

  bool has(std::string_view key) const { return table_->contains(key); }
  bool flag(std::string_view key);
  std::uint64_t number(std::string_view key, Limits limits);
  unsigned small(std::string_view key, Limits limits) {  // limits that fit
    return static_cast<unsigned>(number(key, limits));
  }
  unsigned power_of_two(std::string_view key, Limits limits);
  // Bytes: a number, or one with K, M or G behind it between quotes.
  std::uint64_t bytes(std::string_view key, Limits limits);

  template <class Value>
  Value word(std::string_view key, std::span<const Word<Value>> words) {
    std::vector<std::string> names;
    for (const Word<Value>& each : words) names.emplace_back(each.name);
    return words[index_of(key, names)].value;
  }

  // "TABLE: " and the text under `source`.
  std::string source();

  // Refuses the value under a key, or the table when it has no such key.
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
