// Two processes hand a byte to and fro so many times, which are two switches each. Prints for how
// many seconds each function of the first one had no CPU, by the clocks: "waits_here 0.5". Then how
// long all took: "took 1.5". A second number is how many loops each does before it hands over.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// The time so far in which the thread had no CPU, from some moment on.
double time_off() {
  return seconds(CLOCK_MONOTONIC) - seconds(CLOCK_THREAD_CPUTIME_ID);
}

int to[2], back[2];
long loops = 0;
double here = 0, there = 0;

void work() {
  volatile long done = 0;
  while (done < loops) done = done + 1;
}

void hand_over() {
  char letter = 'x';
  if (::write(to[1], &letter, 1) != 1 || ::read(back[0], &letter, 1) != 1) std::exit(1);
}

[[gnu::noinline]] void waits_here() {
  const double begin = time_off();
  hand_over();
  here += time_off() - begin;
}

[[gnu::noinline]] void waits_there() {
  const double begin = time_off();
  hand_over();
  there += time_off() - begin;
}

}  // namespace

int main(int argc, char** argv) {
  const long times = std::atol(argv[1]);
  if (argc > 2) loops = std::atol(argv[2]);
  if (::pipe(to) != 0 || ::pipe(back) != 0) return 1;
  const double begin = seconds(CLOCK_MONOTONIC);
  if (::fork() == 0) {
    char letter = 0;
    for (long i = 0; i < times; ++i) {
      if (::read(to[0], &letter, 1) != 1) ::_exit(1);
      work();
      if (::write(back[1], &letter, 1) != 1) ::_exit(1);
    }
    ::_exit(0);
  }
  for (long i = 0; i < times; ++i) {
    work();
    i % 3 == 0 ? waits_here() : waits_there();
  }
  ::wait(nullptr);
  std::printf("waits_here %.6f\nwaits_there %.6f\ntook %.6f\n", here, there,
              seconds(CLOCK_MONOTONIC) - begin);
}
