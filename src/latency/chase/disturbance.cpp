#include "latency/chase/disturbance.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "base/file.hpp"

namespace tacho::chase {

std::uint64_t involuntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

TimeTaken time_taken(int cpu, const std::string& root) {
  TimeTaken taken;
  unsigned long long ran = 0, waited = 0;
  const std::string schedule = first_line(root + "/proc/thread-self/schedstat");
  if (std::sscanf(schedule.c_str(), "%llu %llu", &ran, &waited) == 2) taken.waited = waited;
  const auto stat = read_file(root + "/proc/stat", 16U << 20U);
  if (!stat) return taken;
  const std::size_t line = stat->find(fmt::format("\ncpu{} ", cpu));
  unsigned long long stolen = 0;  // the eighth column, in units of USER_HZ
  if (line != stat->npos &&
      std::sscanf(stat->c_str() + line, " %*s %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) == 1) {
    taken.stolen = stolen * (1'000'000'000U / static_cast<unsigned long>(::sysconf(_SC_CLK_TCK)));
    taken.knows_stolen = true;
  }
  return taken;
}

MachineState machine_state(int cpu, const std::string& root) {
  MachineState state;
  state.governor = first_line(
      fmt::format("{}/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", root, cpu));
  const std::string load = first_line(root + "/proc/loadavg");
  state.knows_load = std::sscanf(load.c_str(), "%lf", &state.load) == 1;
  return state;
}

}  // namespace tacho::chase
