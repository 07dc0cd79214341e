#include "pmu/registers/pinning.hpp"

#include <fmt/format.h>

#include "base/cpus.hpp"

namespace tacho::arm {

Result<void> pin(pid_t pid, int cpu) {
  const int code = keep_to_cpu(pid, cpu);
  if (code == 0) return {};
  return os_failure(fmt::format("cannot keep a process on CPU {}", cpu), code,
                    "its cpuset may forbid the CPU, or it is offline");
}

bool may_leave(pid_t pid, int cpu) {
  const auto cpus = allowed_cpus(pid);
  return cpus && *cpus != std::vector<int>{cpu};
}

}  // namespace tacho::arm
