#include "doctor/examine_capability.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <string>

#include "base/own_program.hpp"

namespace tacho {

std::optional<Finding> examine_capability() {
  constexpr const char* kName = "capability";
  const std::string file = own_program();
  struct stat status{};
  if (::getxattr(file.c_str(), "security.capability", nullptr, 0) <= 0 ||
      ::stat(file.c_str(), &status) != 0)
    return std::nullopt;
  if ((status.st_mode & S_IXOTH) == 0)
    return finding(kName, Verdict::ok,
                   fmt::format("'{}' has one, for its group ({}) alone", file, status.st_gid));
  return finding(
      kName, Verdict::warning,
      fmt::format("'{}' has one: every user of this machine may read other users' stacks with it",
                  file),
      fmt::format("as root: chgrp GROUP '{0}' && chmod 0750 '{0}' && setcap cap_perfmon=ep '{0}'",
                  file));
}

}  // namespace tacho
