#include "symbols/running_kernel.hpp"

#include <sys/utsname.h>

#include "base/build_id.hpp"
#include "base/file.hpp"

namespace tacho::symbols {
std::string running_kernel_build_id() {
  return build_id_text(kernel_build_id());
}

std::string running_kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : std::string();
}

std::string host_name() {
  utsname name{};
  return ::uname(&name) == 0 ? name.nodename : std::string();
}

}  // namespace tacho::symbols
