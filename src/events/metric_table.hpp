// Reads one metric from its table in a data file. Only the .cpp files that read data files include
// this header, because the TOML parser's header is large.
#pragma once

#include "events/metric.hpp"
#include "events/toml_file.hpp"

namespace tacho {

// The metric in a table with the keys name, formula, unit and description.
Result<Metric> read_metric(const TomlFile& file, const toml::node& node);

}  // namespace tacho
