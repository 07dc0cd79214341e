#include "doctor/prove/clocks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <sstream>
#include <string>

#include "base/file.hpp"

namespace tacho::prove {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double cpu_seconds() {
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double wall_seconds() {
  return seconds_of(CLOCK_MONOTONIC);
}

// proc_stat(5): "cpu3 user nice system idle iowait irq softirq steal …" in ticks.
double stolen_seconds(int cpu) {
  constexpr int kSteal = 8;  // the word's place, from 1 on
  std::istringstream lines(read_file("/proc/stat").value_or(""));
  const std::string wanted = fmt::format("cpu{} ", cpu);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(wanted)) continue;
    std::istringstream words(line.substr(wanted.size()));
    double ticks = 0;
    for (int i = 0; i < kSteal; ++i) words >> ticks;
    return words ? ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0;
  }
  return 0;
}

}  // namespace tacho::prove
