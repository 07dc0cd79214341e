// reset_counters BEFORE AFTER COMMAND: counts user instructions of two loops of two instructions an
// iteration, which run so many iterations, with a reset() in between. The command is started before
// the second one. Prints how the second loop was counted, its count, and for which part of its
// time.
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
