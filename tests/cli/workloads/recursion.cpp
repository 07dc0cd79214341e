// recursion DEPTH MILLISECONDS: spends so much CPU time at the bottom of so many calls of one
// function. Each call keeps a frame pointer.
#include <cstdlib>
#include <ctime>

namespace {

volatile long sink;

double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

// Named in C, so that every reader of recordings writes them alike.
extern "C" {
[[gnu::noinline]] void work(double until) {
  while (now() < until)
    for (int i = 0; i < 100'000; ++i) sink = sink + i;
}

[[gnu::noinline]] void descend(int depth, double until) {
  if (depth > 1)
    descend(depth - 1, until);
  else
    work(until);
  sink = depth;
}
}

int main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 20;
  descend(depth, 1e-3 * (argc > 2 ? std::atof(argv[2]) : 100));
}
