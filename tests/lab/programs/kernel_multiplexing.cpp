// kernel_multiplexing CONFIG… -- COMMAND…: counts more events than there are counters, as perf
// does. Each CONFIG is an event of the core PMU: a raw code in hex, followed by u or k for user or
// kernel mode alone. All events are opened without a group, and the kernel multiplexes them while
// COMMAND runs. Prints a line for each:
//   CONFIG COUNT ENABLED_NS RUNNING_NS
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

int open_event(std::string_view config, pid_t pid) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_RAW;
  attr.config = std::strtoull(config.data(), nullptr, 16);
  attr.exclude_kernel = config.ends_with('u');
  attr.exclude_user = config.ends_with('k');
  attr.disabled = 1;
  attr.enable_on_exec = 1;
  attr.inherit = 1;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0));
}

}  // namespace

int main(int argc, char** argv) {
  int command = 1;
  while (command < argc && std::string_view(argv[command]) != "--") ++command;
  if (command + 1 >= argc) return 2;
  std::array<int, 2> go{};
  if (::pipe(go.data()) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    if (::read(go[0], &byte, 1) == 1) ::execvp(argv[command + 1], argv + command + 1);
    ::_exit(127);
  }
  std::vector<int> events;
  for (int i = 1; i < command; ++i) events.push_back(open_event(argv[i], child));
  int status = 0;
  if (::write(go[1], "", 1) != 1 || ::waitpid(child, &status, 0) != child) return 1;
  for (int i = 1; i < command; ++i) {
    std::array<std::uint64_t, 3> values{};
    if (::read(events[static_cast<std::size_t>(i - 1)], values.data(), sizeof values) <
        static_cast<ssize_t>(sizeof values)) {
      std::perror(argv[i]);
      return 1;
    }
    std::printf("%s %llu %llu %llu\n", argv[i], static_cast<unsigned long long>(values[0]),
                static_cast<unsigned long long>(values[1]),
                static_cast<unsigned long long>(values[2]));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
