#include "process/check_process.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/process_tree.hpp"

namespace tacho {

Result<void> check_process(pid_t pid) {
  const pid_t process = std::atoi(status_value(pid, "Tgid").c_str());
  if (process <= 0 || process == pid) return {};
  return failure(fmt::format("{} is a thread of process {}, not a process", pid, process),
                 fmt::format("watch the process: -p {}", process));
}

}  // namespace tacho
