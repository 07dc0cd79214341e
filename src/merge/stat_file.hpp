// A file of `tacho stat --json`, as `tacho merge` reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pmu_kind.hpp"
#include "base/result.hpp"
#include "estimate/summary.hpp"

namespace tacho {

// A figure of the run itself, by its key in JSON.
struct RunFigure {
  std::string name;  // "elapsed_s"
  double value = 0;
};

struct StatFile {
  std::string path;
  std::string label;  // what was counted
  PmuKind pmu_kind = PmuKind::none;
  std::string pmu_name;
  std::optional<double> exit_code;
  std::optional<double> signal;
  std::vector<RunFigure> run;
  // Each name is there once. A half-width of which the file does not say which part is independent
  // is shared as a whole: that is the cautious reading of files of older versions.
  Summary summary;
};

// Reads a file that comes from anyone. With -I the report is its last line. Errors: it can't be
// read, is no JSON, is cut off, or is no report of `tacho stat` in schema 1.
Result<StatFile> read_stat_file(const std::string& path);

// The same for the file's text. `path` is for errors.
Result<StatFile> parse_stat_file(std::string_view text, const std::string& path);

}  // namespace tacho
