// Finds the data files: event sets, metrics, reports and the events of ARM cores, tacho's own and
// the user's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/core_events.hpp"
#include "events/metric.hpp"
#include "events/report_file.hpp"

namespace tacho {

// The directories where data is looked for; the first that has a file wins: $TACHO_DATA,
// $XDG_CONFIG_HOME/tacho (or ~/.config/tacho), and share/tacho beside the program's own directory.
std::vector<std::string> data_directories();

// Whether the user gave a path rather than a name: it has a '/' or ends in .toml.
bool is_data_path(std::string_view name_or_path);

// The first file FOLDER/NAME.toml in the data directories; empty when there is none.
std::string find_data_file(std::string_view folder, std::string_view name);

// The names of the .toml files in a folder of the data directories, in order, each once.
std::vector<std::string> data_file_names(std::string_view folder);

// The metrics of every metrics.toml found.
Result<std::vector<Metric>> known_metrics();

// Whether all metrics, and all of these sets, come from the files that tacho was installed with.
// Those were tested with it.
bool only_shipped_metrics(std::span<const EventSet> sets);

// A set by name or by path. The error of an unknown name lists the names that exist.
Result<EventSet> find_set(std::string_view name_or_path);

// A report with rows of its own, by name or by path.
Result<ReportLayout> find_report(std::string_view name_or_path);

// The ARM cores whose events are known. A user's file replaces tacho's file of the same name.
Result<std::vector<CoreEvents>> known_cores();

}  // namespace tacho
