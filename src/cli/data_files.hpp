// Finds the data files: event sets, metrics, reports, models of processors and the events of ARM
// cores, tacho's own and the user's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/core_events.hpp"
#include "events/metric.hpp"
#include "events/report_file.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// Where data is looked for, first hit first: $TACHO_DATA, $XDG_CONFIG_HOME/tacho (or
// ~/.config/tacho), and share/tacho beside the program's own directory.
std::vector<std::string> data_directories();

// The metrics of every metrics.toml found.
Result<std::vector<Metric>> known_metrics();

// Whether none of these files is a user's own, nor any metrics.toml: what tacho was installed with
// was tested with it.
bool only_shipped_metrics(std::span<const EventSet> sets);

// A set by name, or by path when it has a '/' or ends in .toml. The error of an unknown name lists
// those there are.
Result<EventSet> find_set(std::string_view name_or_path);

// A report with rows of its own, likewise.
Result<ReportLayout> find_report(std::string_view name_or_path);

// A model by name, by path when it has a '/' or ends in .toml, or `host`, which is made from this
// machine's sysfs. The error of an unknown name lists those there are.
Result<CpuModel> find_model(std::string_view name_or_path);

// The names that find_model knows, in order: host first.
std::vector<std::string> model_names();

// The ARM cores whose events are known. A file of the user's own goes before tacho's of the same
// name.
Result<std::vector<CoreEvents>> known_cores();

}  // namespace tacho
