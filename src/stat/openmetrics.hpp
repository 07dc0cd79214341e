// `tacho stat --openmetrics`: the figures of a run as OpenMetrics text, for Prometheus and what
// reads its formats (docs/reference/openmetrics.md).
//
// The text is valid OpenMetrics 1.0 (https://openmetrics.io), and what it uses of that, Prometheus'
// older text format has too: counters and gauges, without time stamps. node_exporter's textfile
// collector reads only the older one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "stat/running_totals.hpp"
#include "stats/measurement.hpp"

namespace tacho {

struct OpenMetrics {
  struct Part {
    std::string label;
    Totals totals;
  };
  std::string run;  // the label of all series: it tells apart the files of one directory
  std::string version;
  std::string target;  // what is counted, as reports name it
  Machine machine;
  double elapsed_s = 0;           // simulated, if the machine is
  std::optional<Workload> usage;  // of a command that has ended
  std::size_t warnings = 0;
  Totals totals;
  std::string kind_of_parts;  // "cpu", "thread", …
  std::vector<Part> parts;
};

// What is not available is absent. The text is UTF-8, ends in "# EOF" and a newline, and has no two
// series of one name and the same labels.
std::string to_openmetrics(const OpenMetrics& metrics);

}  // namespace tacho
