// on_cpus CPU:MILLISECONDS…: uses so much CPU time on each CPU, one stretch after the other. Prints
// the CPU time in nanoseconds that it used on each CPU, as JSON: {"0": 50012345, "1": 30002345}.
// The start and the end of the process are not in it.
#include "cpu_stretches.hpp"

int main(int argc, char** argv) {
  CpuStretches stretches;
  for (int i = 1; i < argc; ++i) {
    const auto stretch = parse_stretch(argv[i]);
    if (!stretch || !stretches.use(*stretch, [] {})) {
      std::fprintf(stderr, "on_cpus: can't use '%s'\n", argv[i]);
      return 2;
    }
  }
  stretches.print();
  std::printf("\n");
  return 0;
}
