// nested_regions EXECUTIONS INNER ITERATIONS: executes a region `outer` EXECUTIONS times. Inside,
// it executes a region `inner` INNER times, each a loop of two instructions an iteration. Prints
// the report of the regions as a line of JSON. TACHO_REGIONS_EVENTS chooses the events.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tacho/caliper.hpp"
#include "tacho/report.hpp"

namespace {

void loop(std::uintptr_t left) {
  asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(left) : : "cc");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long executions = std::strtol(argv[1], nullptr, 10);
  const long inner = std::strtol(argv[2], nullptr, 10);
  const auto iterations = static_cast<std::uintptr_t>(std::strtoul(argv[3], nullptr, 10));
  for (long done = 0; done < executions; ++done) {
    TACHO_REGION("outer");
    for (long i = 0; i < inner; ++i) {
      TACHO_REGION("inner");
      loop(iterations);
    }
  }
  std::printf("%s", tacho::to_json(tacho::region_report()).c_str());
  return 0;
}
