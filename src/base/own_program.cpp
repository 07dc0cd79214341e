#include "base/own_program.hpp"

#include <sys/auxv.h>

#include <system_error>

namespace tacho {

std::filesystem::path own_program() {
  std::error_code error;
  if (auto path = std::filesystem::read_symlink("/proc/self/exe", error); !error) return path;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes the pointer as a number
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (name == nullptr) return {};
  auto path = std::filesystem::canonical(name, error);
  return error ? std::filesystem::path() : path;
}

}  // namespace tacho
