// Forks while other threads are inside the library. Prints the children that did not end.
//   forks report         another thread is in the first report of the process
//   forks clock          another thread is in the first tick_clock() of the process
//   forks stress TIMES   TIMES forks: ten from each of many processes, whose threads do everything
//                        for the first time meanwhile
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tacho/caliper.hpp>
#include <tacho/counters.hpp>
#include <tacho/report.hpp>
#include <tacho/ticks.hpp>
#include <thread>
#include <vector>

namespace {

// Whether the child ended with 0. A child that hangs is killed.
bool ended(pid_t child) {
  constexpr int kNaps = 20'000;  // of 1 ms
  int status = 0;
  for (int i = 0; i < kNaps; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    usleep(i < 10 ? 100 : 1000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

// Everything that the parent's threads do.
void use_all() {
  {
    TACHO_REGION("child");
  }
  std::thread([] { TACHO_REGION("thread of the child"); }).join();
  (void)tacho::region_report();
  (void)tacho::tick_clock();
}

bool fork_beside(void (*other)()) {
  {
    TACHO_REGION("parent");
  }
  std::thread thread(other);
  usleep(2000);
  const pid_t child = fork();
  if (child == 0) {
    use_all();
    std::exit(0);
  }
  thread.join();
  return ended(child);
}

// Returns how many children did not end.
int fork_ten(unsigned seed) {
  std::vector<std::thread> threads;
  threads.emplace_back([] { (void)tacho::tick_clock(); });
  threads.emplace_back([] { (void)tacho::region_report(); });
  threads.emplace_back([] { (void)tacho::Counters::open({"page-faults"}); });
  threads.emplace_back([] {
    for (int i = 0; i < 50; ++i) std::thread([] { TACHO_REGION("short"); }).join();
  });
  threads.emplace_back([] {
    for (int i = 0; i < 1000; ++i) {
      TACHO_REGION("outer");
      TACHO_REGION("inner");
    }
  });
  threads.emplace_back([] {
    for (int i = 0; i < 1000; ++i) {
      tacho::regions_off();
      std::this_thread::yield();
      tacho::regions_on();
    }
  });
  int lost = 0;
  for (unsigned i = 0; i < 10; ++i) {
    for (unsigned k = 0; k < (seed * 7919 + i * 104'729) % 3000; ++k) (void)tacho::ticks();
    const pid_t child = fork();
    if (child == 0) {
      use_all();
      _exit(0);
    }
    lost += !ended(child);
  }
  for (std::thread& thread : threads) thread.join();
  return lost;
}

// The library is not yet used in this process, so each child uses it for the first time.
int stress(int times) {
  int lost = 0;
  for (int i = 0; i < times / 10; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(fork_ten(static_cast<unsigned>(i)));
    lost += !ended(child);
  }
  return lost;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  tacho::regions_on();
  int lost = 0;
  if (mode == "report") lost = !fork_beside([] { (void)tacho::region_report(); });
  if (mode == "clock") lost = !fork_beside([] { (void)tacho::tick_clock(); });
  if (mode == "stress") lost = stress(argc > 2 ? std::atoi(argv[2]) : 100);
  std::printf("%d did not end\n", lost);
}
