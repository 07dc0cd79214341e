#include "events/data_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/own_program.hpp"
#include "base/privileges.hpp"
#include "base/published.hpp"
#include "base/regular_file.hpp"

namespace tacho {

std::string shipped_data_directory() {
  static constinit Published<const std::filesystem::path> found;
  const std::filesystem::path& program =
      found.get([] { return std::filesystem::path(own_program()); });
  return program.empty() ? "" : (program.parent_path().parent_path() / "share/tacho").string();
}

std::vector<std::string> data_directories() {
  std::vector<std::string> directories;
  if (const std::string own = user_setting("TACHO_DATA"); !own.empty()) directories.push_back(own);
  const std::string home = user_setting("HOME");
  std::string config = user_setting("XDG_CONFIG_HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) directories.push_back(config + "/tacho");
  if (std::string own = shipped_data_directory(); !own.empty())
    directories.push_back(std::move(own));
  return directories;
}

std::vector<std::string> ignored_data_directories() {
  std::vector<std::string> ignored;
  if (!has_privileges()) return ignored;
  const auto add = [&](const char* variable, std::string_view below) {
    const char* value = std::getenv(variable);
    const std::string path = value == nullptr ? "" : fmt::format("{}{}", value, below);
    if (value != nullptr && *value != '\0' && ::access(path.c_str(), F_OK) == 0)
      ignored.push_back(path);
  };
  add("TACHO_DATA", "");
  add("XDG_CONFIG_HOME", "/tacho");
  add("HOME", "/.config/tacho");
  return ignored;
}

Result<std::string> read_data_file(const std::string& path) {
  const bool found = std::ranges::any_of(
      data_directories(), [&](const std::string& each) { return path.starts_with(each + '/'); });
  return found ? read_regular_file(path) : read_file(path);
}

}  // namespace tacho
