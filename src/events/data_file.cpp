#include "events/data_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/regular_file.hpp"

namespace tacho {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string shipped_data_directory() {
  static const std::filesystem::path program = own_program();
  return program.empty() ? "" : (program.parent_path().parent_path() / "share/tacho").string();
}

std::vector<std::string> data_directories() {
  std::vector<std::string> directories;
  if (const std::string own = environment("TACHO_DATA"); !own.empty()) directories.push_back(own);
  const std::string home = environment("HOME");
  std::string config = environment("XDG_CONFIG_HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) directories.push_back(config + "/tacho");
  if (std::string own = shipped_data_directory(); !own.empty())
    directories.push_back(std::move(own));
  return directories;
}

Result<std::string> read_data_file(const std::string& path) {
  const bool found = std::ranges::any_of(
      data_directories(), [&](const std::string& each) { return path.starts_with(each + '/'); });
  return found ? read_regular_file(path) : read_file(path);
}

}  // namespace tacho
