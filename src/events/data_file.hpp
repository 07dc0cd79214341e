// What the files of metrics, of sets and of reports have in common. For the .cpp files that read
// them; the parser's header is large.
#pragma once

#include "events/metric.hpp"
#include "events/toml_file.hpp"

namespace tacho {

class DataFile : public TomlFile {
 public:
  using TomlFile::TomlFile;

  // A table with name, formula, unit and description.
  Result<Metric> metric(const toml::node& node) const;

  // The array under a key, with a sane number of entries.
  Result<const toml::array*> array(const toml::table& table, std::string_view key,
                                   std::string_view example) const;
};

}  // namespace tacho
