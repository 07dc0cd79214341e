#include "base/written_file.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

namespace tacho {
namespace {

bool is_trusted(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == ::geteuid();
}

bool names_descriptor(std::string_view path) {
  constexpr std::array<std::string_view, 4> kNames{"/dev/stdout", "/dev/stderr", "/dev/fd/",
                                                   "/proc/self/fd/"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return path.starts_with(name); });
}

}  // namespace

bool is_of_another_user(const std::string& path) {
  struct stat status{};
  if (names_descriptor(path) || ::lstat(path.c_str(), &status) != 0) return false;
  if (S_ISLNK(status.st_mode)) {
    if (!is_trusted(status)) return true;
    if (::stat(path.c_str(), &status) != 0) return false;
  }
  return S_ISREG(status.st_mode) && !is_trusted(status);
}

bool is_of_another_user(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && !is_trusted(status);
}

bool may_replace(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent;
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0 || ::access(directory.c_str(), W_OK | X_OK) != 0)
    return false;
  const uid_t user = ::geteuid();
  return (status.st_mode & S_ISVTX) == 0 || user == 0 || user == status.st_uid;
}

bool is_locked_by_another(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
         ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace tacho
