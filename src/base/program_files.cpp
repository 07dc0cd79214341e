#include "base/program_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ranges>
#include <string_view>

namespace tacho {

std::vector<std::string> program_files(const std::string& name) {
  if (name.contains('/')) return {name};
  const char* path = std::getenv("PATH");
  if (path == nullptr) path = "/bin:/usr/bin";  // the default of execvp(3)
  std::vector<std::string> files;
  for (const auto part : std::views::split(std::string_view(path), ':')) {
    const std::string_view directory(part.begin(), part.end());
    files.push_back(fmt::format("{}/{}", directory.empty() ? "." : directory, name));
  }
  return files;
}

}  // namespace tacho
