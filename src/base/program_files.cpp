#include "base/program_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ranges>
#include <string_view>

#include "base/privileges.hpp"

namespace tacho {
namespace {

constexpr std::string_view kFixedPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<std::string> files_below(std::string_view path, const std::string& name) {
  std::vector<std::string> files;
  for (const auto part : std::views::split(path, ':'))
    if (const std::string_view directory(part.begin(), part.end()); !directory.empty())
      files.push_back(fmt::format("{}/{}", directory, name));
  return files;
}

std::string_view search_path() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : "/bin:/usr/bin";  // the default of execvp(3)
}

bool is_executable(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> program_files(const std::string& name, const std::string& directory) {
  if (name.empty()) return {};
  std::vector<std::string> files{name};
  if (!name.contains('/')) files = files_below(search_path(), name);
  for (std::string& file : files)
    if (!directory.empty() && !file.starts_with('/')) file = fmt::format("{}/{}", directory, file);
  return files;
}

std::string interpreter_of(std::string_view head) {
  if (!head.starts_with("#!")) return {};
  head = head.substr(2, head.find('\n') - 2);
  head.remove_prefix(std::min(head.find_first_not_of(" \t"), head.size()));
  return std::string(head.substr(0, head.find_first_of(" \t")));
}

std::optional<std::string> find_helper(const std::string& name) {
  if (name.contains('/')) return name;
  for (std::string& file : files_below(has_privileges() ? kFixedPath : search_path(), name))
    if (file.starts_with('/') && is_executable(file)) return std::move(file);
  return std::nullopt;
}

HelperEnvironment::HelperEnvironment() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (!has_privileges() || !std::string_view(*variable).starts_with("PATH="))
      variables_.push_back(*variable);
  if (has_privileges()) {
    path_ = fmt::format("PATH={}", kFixedPath);
    variables_.push_back(path_.data());
  }
  variables_.push_back(nullptr);
}

}  // namespace tacho
