// Stretches of CPU time on chosen CPUs: the truth of these tests. The time between two stretches,
// in which the thread moves, counts for the CPU that it moves to.
#pragma once

#include <sched.h>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <optional>

// CPU time of the calling thread, in nanoseconds.
inline std::uint64_t cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct Stretch {
  unsigned cpu = 0;
  unsigned long milliseconds = 0;
};

// A word such as 0:50, which is 50 ms on CPU 0.
inline std::optional<Stretch> parse_stretch(const char* word) {
  Stretch stretch;
  if (std::sscanf(word, "%u:%lu", &stretch.cpu, &stretch.milliseconds) != 2) return std::nullopt;
  return stretch;
}

class CpuStretches {
 public:
  CpuStretches() : last_(cpu_time()) {}

  // Returns false if the thread may not run on the CPU. Calls `meanwhile` every few microseconds.
  template <class Function>
  bool use(Stretch stretch, Function meanwhile) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(stretch.cpu, &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) return false;
    const std::uint64_t until = last_ + stretch.milliseconds * 1'000'000;
    std::uint64_t now = last_;
    while (now < until) {
      for (int spin = 0; spin < 2'000; ++spin) asm volatile("");
      meanwhile();
      now = cpu_time();
    }
    used_[stretch.cpu] += now - last_;
    last_ = now;
    return true;
  }

  // {"0": 50012345, "1": 30002345}: nanoseconds on each CPU.
  void print() const {
    const char* separator = "{";
    for (const auto& [cpu, nanoseconds] : used_) {
      std::printf("%s\"%u\": %llu", separator, cpu, static_cast<unsigned long long>(nanoseconds));
      separator = ", ";
    }
    std::printf(used_.empty() ? "{}" : "}");
  }

 private:
  std::uint64_t last_;
  std::map<unsigned, std::uint64_t> used_;
};
