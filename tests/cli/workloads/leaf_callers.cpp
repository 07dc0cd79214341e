// leaf_callers MILLISECONDS: spends so much CPU time in one function, `leaf`, which has no frame of
// its own. `often` calls it for 80 % of the work, `seldom` for the rest; both keep frame pointers.
// Prints the share of the time that was spent for `often`, by the thread's own CPU clock.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

volatile std::uint64_t sink;

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// Not inlined, and known by these names in a profile.
extern "C" {
[[gnu::noinline]] std::uint64_t leaf(long operations) {
  std::uint64_t x = 1;
  for (long i = 0; i < operations; ++i) {
    x = x * 3 + 1;
    asm volatile("" : "+r"(x));
  }
  return x;
}
[[gnu::noinline]] void often(long operations) {
  sink = leaf(operations);
}
[[gnu::noinline]] void seldom(long operations) {
  sink = leaf(operations);
}
}

int main(int argc, char** argv) {
  const double until = 1e-3 * (argc > 1 ? std::atof(argv[1]) : 100);
  constexpr long kPiece = 100'000;  // operations: some 100 µs
  double spent[2] = {0, 0};
  double time = now();
  while (spent[0] + spent[1] < until) {
    often(4 * kPiece);
    const double between = now();
    seldom(kPiece);
    const double after = now();
    spent[0] += between - time;
    spent[1] += after - between;
    time = after;
  }
  std::printf("%.6f\n", spent[0] / (spent[0] + spent[1]));
}
