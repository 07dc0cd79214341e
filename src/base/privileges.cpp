#include "base/privileges.hpp"

#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace tacho {

bool has_privileges() {
  return ::getauxval(AT_SECURE) != 0;
}

bool runs_as_another_user() {
  return has_privileges() && (::getuid() != ::geteuid() || ::getgid() != ::getegid());
}

bool may_lock_memory() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> capabilities{};
  return ::syscall(SYS_capget, &header, capabilities.data()) == 0 &&
         (capabilities[0].effective & (1U << CAP_IPC_LOCK)) != 0;
}

std::string user_setting(const char* variable) {
  const char* value = has_privileges() ? nullptr : std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace tacho
