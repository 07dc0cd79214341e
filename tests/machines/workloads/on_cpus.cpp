// on_cpus CPU:MILLISECONDS…: uses so much CPU time on each CPU, one stretch after the other. Prints
// the CPU time in nanoseconds that it used on each CPU, as JSON: {"0": 50012345, "1": 30002345}.
// The time between two stretches, in which the thread moves, counts for the CPU that it moves to.
// The start and the end of the process are not in it.
#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

namespace {

std::uint64_t cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool move_to(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<unsigned, std::uint64_t> used;
  std::uint64_t last = cpu_time();
  for (int i = 1; i < argc; ++i) {
    unsigned cpu = 0;
    unsigned long milliseconds = 0;
    if (std::sscanf(argv[i], "%u:%lu", &cpu, &milliseconds) != 2 || !move_to(cpu)) {
      std::fprintf(stderr, "on_cpus: can't use '%s'\n", argv[i]);
      return 2;
    }
    const std::uint64_t until = last + milliseconds * 1'000'000;
    std::uint64_t now = last;
    while (now < until) {
      for (volatile int spin = 0; spin < 2'000; spin = spin + 1) {
      }
      now = cpu_time();
    }
    used[cpu] += now - last;
    last = now;
  }
  const char* separator = "{";
  for (const auto& [cpu, nanoseconds] : used) {
    std::printf("%s\"%u\": %llu", separator, cpu, static_cast<unsigned long long>(nanoseconds));
    separator = ", ";
  }
  std::printf("}\n");
  return 0;
}
