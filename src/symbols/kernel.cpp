#include "symbols/kernel.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdint>

#include "base/build_id.hpp"
#include "base/file.hpp"

namespace tacho::symbols {
std::string running_kernel_build_id() {
  std::string id;
  for (const std::uint8_t byte : kernel_build_id()) id += fmt::format("{:02x}", byte);
  return id;
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
