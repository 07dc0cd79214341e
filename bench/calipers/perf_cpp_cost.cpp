// Measures what perf-cpp's calls around a region cost: perf_cpp_cost N, with N software events.
#include <perfcpp/event_counter.h>

#include <cstdlib>

#include "in_turn.hpp"

int main(int argc, char** argv) {
  const auto count = static_cast<std::size_t>(argc == 2 ? std::atoi(argv[1]) : 0);
  if (count == 0 || count > software_events().size()) return 2;
  perf::CounterDefinition definitions;
  definitions.add("minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN);
  definitions.add("cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS);
  perf::EventCounter counter{definitions};
  for (std::size_t i = 0; i < count; ++i)
    if (!counter.add(software_events()[i])) return 1;
  // start() opens the counters and stop() closes them, so these calls are slow.
  print_in_turn({{"start and stop",
                  [&](int times) {
                    for (int i = 0; i < times; ++i) {
                      counter.start();
                      counter.stop();
                    }
                  }}},
                21, 20);
}
