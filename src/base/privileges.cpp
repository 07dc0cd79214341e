#include "base/privileges.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace tacho {

bool has_privileges() {
  return ::getauxval(AT_SECURE) != 0;
}

bool runs_as_another_user() {
  return has_privileges() && (::getuid() != ::geteuid() || ::getgid() != ::getegid());
}

std::string user_setting(const char* variable) {
  const char* value = has_privileges() ? nullptr : std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace tacho
