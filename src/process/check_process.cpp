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

Result<void> check_thread(pid_t tid) {
  if (!status_value(tid, "Tgid").empty()) return {};
  return failure(fmt::format("there is no thread {}", tid), "'ps -eL' lists the threads (LWP)");
}

}  // namespace tacho
