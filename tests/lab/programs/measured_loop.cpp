// measured_loop EXECUTIONS ITERATIONS…: for each number of iterations, executes a region of that
// name EXECUTIONS times. The region is a loop of two instructions an iteration. Prints the report
// of the regions as a line of JSON. TACHO_REGIONS_EVENTS chooses the events.
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
  if (argc < 3) return 2;
  const long executions = std::strtol(argv[1], nullptr, 10);
  for (int i = 2; i < argc; ++i) {
    const auto iterations = static_cast<std::uintptr_t>(std::strtoul(argv[i], nullptr, 10));
    tacho::RegionSite site(argv[i]);
    for (long done = 0; done < executions; ++done) {
      site.begin();
      loop(iterations);
      site.end();
    }
  }
  std::printf("%s", tacho::to_json(tacho::region_report()).c_str());
  return 0;
}
