// TOML files as tacho reads them: each error names the file and the line. For the .cpp files that
// take data out of TOML; the parser's header is large.
#pragma once

// toml++ 3.3 asserts on some malformed keys (`[@[`) that it goes on to report properly.
#define TOML_ASSERT(condition) static_cast<void>(0)
// Arrays and inline tables within each other; tacho's files have 2. What nests is destroyed by
// recursion, and each of these may hold a dotted key, which nests too (toml_text.hpp).
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// One file being read. Holds its name, not its text.
class TomlFile {
 public:
  explicit TomlFile(const std::string& path) : path_(path) {}

  const std::string& path() const { return path_; }

  std::unexpected<Error> bad(const toml::source_region& where, std::string_view reason,
                             std::string_view remedy) const;

  // Never throws. Bounded by the text's length, and in how deep tables and values nest.
  Result<toml::table> parse(std::string_view text) const;

  // An error for the first key that is not among the known ones, with the nearest of them.
  Result<void> check_keys(const toml::table& table, std::span<const std::string_view> known) const;

  // The text under a key; when the key is missing an empty text, or an error if it is needed.
  Result<std::string> text(const toml::table& table, std::string_view key, bool needed) const;

 private:
  std::string path_;
};

}  // namespace tacho
