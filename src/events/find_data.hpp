// Finds tacho's and the user's data files: event sets, metrics, report layouts and the events of
// ARM cores.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "events/core_events.hpp"
#include "events/data_file.hpp"
#include "events/event_set.hpp"
#include "events/report_layout.hpp"

namespace tacho {

// Whether the user gave a path rather than a name: it has a '/' or ends in .toml.
bool is_data_path(std::string_view name_or_path);

// The path of the first file FOLDER/NAME.toml in the data directories; empty if there is none.
std::string find_data_file(std::string_view folder, std::string_view name);

// The names of the .toml files in a folder of the data directories, sorted, each once.
std::vector<std::string> data_file_names(std::string_view folder);

// The path of the first file NAME.toml in the data directories themselves; empty if there is none.
std::string find_data_file(std::string_view name);

// The metrics of every metrics.toml found.
Result<std::vector<Metric>> known_metrics();

// Whether all metrics and all of these sets come from the installed files, which are tested with
// this version of tacho.
bool only_shipped_metrics(std::span<const EventSet> sets);

// A set by name or by path. The error for an unknown name lists the existing names.
Result<EventSet> find_set(std::string_view name_or_path);

// A report layout by name or by path.
Result<ReportLayout> find_report(std::string_view name_or_path);

// The ARM cores for which there is a list of events. A user's file replaces tacho's file of the
// same name.
Result<std::vector<CoreEvents>> known_cores();

}  // namespace tacho
