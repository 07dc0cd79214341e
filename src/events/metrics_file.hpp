// Reads `metrics.toml`: the metrics that every event set can name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/metric.hpp"

namespace tacho {

// Errors name the file, the line and the reason.
Result<std::vector<Metric>> load_metrics(const std::string& path);

// The same for text in memory. Errors name `path`.
Result<std::vector<Metric>> parse_metrics(std::string_view text, const std::string& path);

}  // namespace tacho
