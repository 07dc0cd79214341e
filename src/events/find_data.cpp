#include "events/find_data.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "events/metrics_file.hpp"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_shipped(const std::string& path) {
  const std::string own = shipped_data_directory();
  return !own.empty() && path.starts_with(own + '/');
}

std::vector<std::string> metric_files() {
  std::vector<std::string> files;
  for (const std::string& directory : data_directories())
    if (std::string path = directory + "/metrics.toml"; ::access(path.c_str(), F_OK) == 0)
      files.push_back(std::move(path));
  return files;
}

}  // namespace

bool is_data_path(std::string_view name) {
  return name.contains('/') || name.ends_with(".toml");
}

std::string find_data_file(std::string_view folder, std::string_view name) {
  for (const std::string& directory : data_directories()) {
    std::string path = fmt::format("{}/{}/{}.toml", directory, folder, name);
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  return {};
}

std::string find_data_file(std::string_view name) {
  for (const std::string& directory : data_directories()) {
    std::string path = fmt::format("{}/{}.toml", directory, name);
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  return {};
}

std::vector<std::string> data_file_names(std::string_view folder) {
  std::set<std::string> names;
  for (const std::string& directory : data_directories()) {
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(directory) / folder, error), end;
         !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".toml") names.insert(entry->path().stem());
  }
  return {names.begin(), names.end()};
}

Result<std::vector<Metric>> known_metrics() {
  std::vector<Metric> metrics;
  for (const std::string& path : metric_files()) {
    auto loaded = TACHO_TRY(load_metrics(path));
    metrics.insert(metrics.end(), loaded.begin(), loaded.end());
  }
  return metrics;
}

bool only_shipped_metrics(std::span<const EventSet> sets) {
  return std::ranges::all_of(metric_files(), is_shipped) &&
         std::ranges::all_of(sets, is_shipped, &EventSet::path);
}

Result<EventSet> find_set(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (is_data_path(name)) return load_set(name);
  if (const std::string path = find_data_file("sets", name); !path.empty()) return load_set(path);
  const std::vector<std::string> names = data_file_names("sets");
  if (names.empty())
    return failure(fmt::format("no event set '{}': no sets are installed", name),
                   fmt::format("looked in {}; set TACHO_DATA to the directory that holds 'sets'",
                               fmt::join(data_directories(), ", ")));
  return failure(
      fmt::format("no event set '{}'", name),
      fmt::format("the sets are {}; a file of your own works by its path", fmt::join(names, ", ")));
}

Result<ReportLayout> find_report(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (is_data_path(name)) return load_report(name);
  if (const std::string path = find_data_file("reports", name); !path.empty())
    return load_report(path);
  const std::vector<std::string> names = data_file_names("reports");
  return failure(
      fmt::format("no report '{}'", name),
      names.empty()
          ? fmt::format("no reports are installed: looked in {}; set TACHO_DATA to the directory "
                        "that holds 'reports'",
                        fmt::join(data_directories(), ", "))
          : fmt::format("the reports are {}; a file of your own works by its path",
                        fmt::join(names, ", ")));
}

Result<std::vector<CoreEvents>> known_cores() {
  std::vector<CoreEvents> cores;
  for (const std::string& name : data_file_names("events")) {
    cores.push_back(TACHO_TRY(load_core_events(find_data_file("events", name))));
  }
  return cores;
}

}  // namespace tacho
