// read_cycles CPU…: reads the counters on each CPU, and prints a line "CPU CYCLES EVENTS VALUE" for
// each:
//   CYCLES  counts   the cycle counter advanced while a loop ran
//           frozen   it did not advance
//           SIGILL   user space may not read it
//           offline  the CPU is offline
//   EVENTS  open or SIGILL: the first event counter
//   VALUE   the low 32 bits of the cycle counter, 0 where it can't be read
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "cycle_counter.hpp"

namespace {

struct Look {
  const char* cycles = "SIGILL";
  const char* events = "SIGILL";
  std::uint32_t value = 0;
};

Look look(int cpu) {
  if (!cycle_counter::pin(cpu)) return {.cycles = "offline"};
  const auto first = cycle_counter::read();
  for (int i = 0; i < 10'000; ++i) asm volatile("");
  const auto second = cycle_counter::read();
  Look seen;
  if (cycle_counter::events_open()) seen.events = "open";
  if (!first || !second) return seen;
  seen.cycles = *first == *second ? "frozen" : "counts";
  seen.value = *second;
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  cycle_counter::catch_refusals();
  for (int i = 1; i < argc; ++i) {
    const Look seen = look(std::atoi(argv[i]));
    std::printf("%s %s %s %" PRIu32 "\n", argv[i], seen.cycles, seen.events, seen.value);
  }
  return 0;
}
