// two_functions MILLISECONDS FIRST: spends so much CPU time, FIRST per cent of it in the function
// `first` and the rest in `second`, in turn in pieces of unequal length. Prints the share of
// `first` by the thread's own CPU clock.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// Not inlined, and known by these names in a profile.
extern "C" {
[[gnu::noinline]] void first(long operations) {
  std::uint64_t x = 1;
  for (long i = 0; i < operations; ++i) {
    x = x * 3 + 1;
    asm volatile("" : "+r"(x));
  }
}
[[gnu::noinline]] void second(long operations) {
  std::uint64_t x = 1;
  for (long i = 0; i < operations; ++i) {
    x = x * 5 + 3;
    asm volatile("" : "+r"(x));
  }
}
}

int main(int argc, char** argv) {
  const double until = 1e-3 * (argc > 1 ? std::atof(argv[1]) : 100);
  const double share = 1e-2 * (argc > 2 ? std::atof(argv[2]) : 50);
  constexpr double kPiece = 100'000;  // operations: some 100 µs
  double spent[2] = {0, 0};
  unsigned draw = 1;
  double time = now();
  while (spent[0] + spent[1] < until) {
    draw = draw * 1'664'525 + 1'013'904'223;
    const double length = kPiece * (0.5 + static_cast<double>(draw >> 8U) / (1U << 24U));
    first(static_cast<long>(length * share));
    const double between = now();
    second(static_cast<long>(length * (1 - share)));
    const double after = now();
    spent[0] += between - time;
    spent[1] += after - between;
    time = after;
  }
  std::printf("%.6f\n", spent[0] / (spent[0] + spent[1]));
}
