#include "locate/recording_files.hpp"

#include <glob.h>

#include <filesystem>
#include <system_error>

namespace tacho {

std::vector<std::string> recording_files(std::span<const std::string> names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code none;
    glob_t found{};
    if (std::filesystem::exists(name, none) || ::glob(name.c_str(), 0, nullptr, &found) != 0)
      files.push_back(name);
    else
      files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
  return files;
}

void expand_runs(std::vector<std::string>& before, std::vector<std::string>& after) {
  if (after.empty()) return;
  before = recording_files(before);
  after = recording_files(after);
}

}  // namespace tacho
