#include "base/process_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "base/parse_number.hpp"

namespace tacho {

std::string status_value(pid_t pid, std::string_view name) {
  std::istringstream status(read_file("/proc/" + std::to_string(pid) + "/status").value_or(""));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return line.substr(name.size() + 1);
  return "";
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entries("/proc", error), end; !error && entries != end;
       entries.increment(error)) {
    const std::string name = entries->path().filename();
    if (const auto number = parse_number<pid_t>(name)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

char thread_state(pid_t tid) {
  // "TID (name) state …"
  const std::string stat = read_file("/proc/" + std::to_string(tid) + "/stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  return name_end == stat.npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

bool is_waiting(char state) {
  constexpr std::string_view kWaiting = "SDtTIK";
  return state != '\0' && kWaiting.contains(state);
}

std::string thread_name(pid_t tid) {
  std::string name = read_file("/proc/" + std::to_string(tid) + "/comm").value_or("");
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

bool has_own_proc() {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self", unknown);
  return self.native() == std::to_string(::getpid());
}

bool is_in_first_pid_namespace() {
  std::error_code unknown;
  // PROC_PID_INIT_INO of Linux
  return std::filesystem::read_symlink("/proc/self/ns/pid", unknown).native() == "pid:[4026531836]";
}

ThreadNumbers thread_numbers() {
  // "0.10 0.08 0.05 2/120 4711" (proc_loadavg(5))
  const std::string load = first_line("/proc/loadavg");
  return {parse_number<pid_t>(load.substr(load.rfind(' ') + 1)).value_or(0),
          parse_number<pid_t>(first_line("/proc/sys/kernel/pid_max")).value_or(0)};
}

std::vector<pid_t> process_tree(pid_t pid) {
  constexpr std::size_t kMost = 1 << 16;  // processes; new ones may come as fast as they are read
  std::vector<pid_t> tree{pid};
  for (std::size_t at = 0; at < tree.size() && tree.size() < kMost; ++at) {
    std::error_code error;
    const std::string threads = "/proc/" + std::to_string(tree[at]) + "/task";
    std::filesystem::directory_iterator thread(threads, error);
    for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
      std::istringstream children(first_line(thread->path() / "children"));
      for (pid_t child = 0; children >> child;) tree.push_back(child);
    }
  }
  return tree;
}

}  // namespace tacho
