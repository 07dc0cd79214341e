#include "cli/data_files.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> set_names() {
  std::set<std::string> names;
  for (const std::string& directory : data_directories()) {
    std::error_code error;
    for (fs::directory_iterator entry(directory + "/sets", error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".toml") names.insert(entry->path().stem());
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<std::string> data_directories() {
  std::vector<std::string> directories;
  if (const std::string own = environment("TACHO_DATA"); !own.empty()) directories.push_back(own);
  const std::string home = environment("HOME");
  std::string config = environment("XDG_CONFIG_HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) directories.push_back(config + "/tacho");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) directories.push_back(program.parent_path().parent_path() / "share/tacho");
  return directories;
}

Result<std::vector<Metric>> known_metrics() {
  std::vector<Metric> metrics;
  for (const std::string& directory : data_directories()) {
    const std::string path = directory + "/metrics.toml";
    if (::access(path.c_str(), F_OK) != 0) continue;
    auto loaded = load_metrics(path);
    if (!loaded) return loaded;
    metrics.insert(metrics.end(), loaded->begin(), loaded->end());
  }
  return metrics;
}

Result<EventSet> find_set(std::string_view name_or_path, const std::vector<Metric>& known) {
  const std::string name(name_or_path);
  if (name.contains('/') || name.ends_with(".toml")) return load_set(name, known);
  for (const std::string& directory : data_directories()) {
    const std::string path = fmt::format("{}/sets/{}.toml", directory, name);
    if (::access(path.c_str(), F_OK) == 0) return load_set(path, known);
  }
  const std::vector<std::string> names = set_names();
  if (names.empty())
    return failure(fmt::format("no event set '{}': no sets are installed", name),
                   fmt::format("looked in {}; set TACHO_DATA to the directory that holds 'sets'",
                               fmt::join(data_directories(), ", ")));
  return failure(
      fmt::format("no event set '{}'", name),
      fmt::format("the sets are {}; a file of your own works by its path", fmt::join(names, ", ")));
}

}  // namespace tacho
