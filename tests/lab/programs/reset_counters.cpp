// reset_counters BEFORE AFTER COMMAND: counts the user instructions of two loops, with BEFORE and
// AFTER iterations of two instructions. Between them it calls reset() and starts the command.
// Prints the status, the count and the share of the second loop.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tacho/counters.hpp"

namespace {

constexpr const char* kStatus[] = {"counted", "estimated", "unavailable"};

void loop(const char* iterations) {
  auto left = static_cast<std::uintptr_t>(std::strtoul(iterations, nullptr, 10));
  asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(left) : : "cc");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto counters = tacho::Counters::open({"instructions:u"});
  loop(argv[1]);
  counters.reset();
  if (std::system(argv[3]) != 0) return 1;
  loop(argv[2]);
  const tacho::Count count = counters.counts().front();
  std::printf("%s %.0f %.4f\n", kStatus[static_cast<int>(count.status)], count.value, count.share);
  return 0;
}
