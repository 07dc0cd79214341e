#include "cli/data_files.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "base/own_program.hpp"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHostModel = "host";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The names of the .toml files in a folder of the data directories.
std::vector<std::string> names_in(std::string_view folder) {
  std::set<std::string> names;
  for (const std::string& directory : data_directories()) {
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(directory) / folder, error), end;
         !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".toml") names.insert(entry->path().stem());
  }
  return {names.begin(), names.end()};
}

bool is_path(std::string_view name) {
  return name.contains('/') || name.ends_with(".toml");
}

// The first file of the name in a folder of the data directories; empty when there is none.
std::string path_in(std::string_view folder, std::string_view name) {
  for (const std::string& directory : data_directories()) {
    std::string path = fmt::format("{}/{}/{}.toml", directory, folder, name);
    if (::access(path.c_str(), F_OK) == 0) return path;
  }
  return {};
}

// share/tacho beside the program's own directory; empty when /proc does not tell.
std::string shipped_directory() {
  static const fs::path program = own_program();
  return program.empty() ? "" : (program.parent_path().parent_path() / "share/tacho").string();
}

bool is_shipped(const std::string& path) {
  const std::string own = shipped_directory();
  return !own.empty() && path.starts_with(own + '/');
}

std::vector<std::string> metric_files() {
  std::vector<std::string> files;
  for (const std::string& directory : data_directories())
    if (std::string path = directory + "/metrics.toml"; ::access(path.c_str(), F_OK) == 0)
      files.push_back(std::move(path));
  return files;
}

Result<CpuModel> load_model(const std::string& path) {
  auto text = read_file(path);
  if (text) return parse_model(*text, path);
  text.error().remedy =
      "check its name; tacho's own models are in share/tacho/models beside its bin directory";
  return std::unexpected(text.error());
}

}  // namespace

std::vector<std::string> data_directories() {
  std::vector<std::string> directories;
  if (const std::string own = environment("TACHO_DATA"); !own.empty()) directories.push_back(own);
  const std::string home = environment("HOME");
  std::string config = environment("XDG_CONFIG_HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) directories.push_back(config + "/tacho");
  if (std::string own = shipped_directory(); !own.empty()) directories.push_back(std::move(own));
  return directories;
}

Result<std::vector<Metric>> known_metrics() {
  std::vector<Metric> metrics;
  for (const std::string& path : metric_files()) {
    auto loaded = load_metrics(path);
    if (!loaded) return loaded;
    metrics.insert(metrics.end(), loaded->begin(), loaded->end());
  }
  return metrics;
}

bool only_shipped_metrics(std::span<const EventSet> sets) {
  return std::ranges::all_of(metric_files(), is_shipped) &&
         std::ranges::all_of(sets, is_shipped, &EventSet::path);
}

Result<EventSet> find_set(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (is_path(name)) return load_set(name);
  if (const std::string path = path_in("sets", name); !path.empty()) return load_set(path);
  const std::vector<std::string> names = names_in("sets");
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
  if (is_path(name)) return load_report(name);
  if (const std::string path = path_in("reports", name); !path.empty()) return load_report(path);
  const std::vector<std::string> names = names_in("reports");
  return failure(
      fmt::format("no report '{}'", name),
      names.empty()
          ? fmt::format("no reports are installed: looked in {}; set TACHO_DATA to the directory "
                        "that holds 'reports'",
                        fmt::join(data_directories(), ", "))
          : fmt::format("the reports are {}; a file of your own works by its path",
                        fmt::join(names, ", ")));
}

Result<CpuModel> find_model(std::string_view name_or_path) {
  const std::string name(name_or_path);
  if (is_path(name)) return load_model(name);
  if (name == kHostModel) return host_model();
  if (const std::string path = path_in("models", name); !path.empty()) return load_model(path);
  return failure(fmt::format("no model '{}'", name),
                 fmt::format("the models are {}; a file of your own works by its path",
                             fmt::join(model_names(), ", ")));
}

Result<std::vector<CoreEvents>> known_cores() {
  std::vector<CoreEvents> cores;
  for (const std::string& name : names_in("events")) {
    auto core = load_core_events(path_in("events", name));
    if (!core) return std::unexpected(core.error());
    cores.push_back(std::move(*core));
  }
  return cores;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = names_in("models");
  names.insert(names.begin(), std::string(kHostModel));
  return names;
}

}  // namespace tacho
