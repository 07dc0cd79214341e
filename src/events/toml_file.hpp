// Reads TOML files; each error names the file and the line. Only the .cpp files that read data
// files include this header, because the parser's header is large.
#pragma once

// toml++ 3.3 asserts on some malformed keys (`[@[`), although it reports them as errors afterwards.
#define TOML_ASSERT(condition) static_cast<void>(0)
// Levels of arrays and inline tables; tacho's files have 2. toml++ destroys them by recursion, and
// each level may have a dotted key, which nests too (unsafe_toml.hpp).
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// One file, known by its name. Does not keep the text.
class TomlFile {
 public:
  explicit TomlFile(const std::string& path) : path_(path) {}

  const std::string& path() const { return path_; }

  std::unexpected<Error> bad(const toml::source_region& where, std::string_view reason,
                             std::string_view remedy) const;

  // Never throws. The text's length bounds the time, and the depth of tables and values is limited.
  // Each text in the file is one line: it becomes a part of lines that others believe.
  Result<toml::table> parse(std::string_view text) const;

  // An error for the first key that is not in `known`; its remedy is the nearest known key.
  Result<void> check_keys(const toml::table& table, std::span<const std::string_view> known) const;

  // The text of a key. If the key is missing: an empty text, or an error if the key is needed.
  Result<std::string> text(const toml::table& table, std::string_view key, bool needed) const;

  // The array of a key, with 1 to 1024 entries.
  Result<const toml::array*> array(const toml::table& table, std::string_view key,
                                   std::string_view example) const;

 private:
  std::string path_;
};

}  // namespace tacho
