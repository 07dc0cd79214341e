// Touches fresh pages at a rate that changes in a known way, and prints how many page faults the
// kernel charged to it (getrusage): fault_shapes KIND, one of steady, drift, phases, rhythm,
// bursts, start, ending, brief, threads, processes.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <thread>

namespace {

constexpr long kSteps = 1600;
constexpr long kBriefSteps = 120;
constexpr long kPage = 4096;
constexpr long kPages = 400'000;

long pages_in_step(std::string_view kind, long step) {
  if (kind == "drift") return step * 10 / kSteps;
  if (kind == "phases") return step < kSteps / 2 ? 1 : 10;
  if (kind == "rhythm") return step / 40 % 4 == 0 ? 16 : 0;
  if (kind == "bursts") return step % 211 < 4 ? 200 : 1;
  if (kind == "start") return step < 16 ? 300 : 1;
  if (kind == "ending") return step >= kSteps - 16 ? 300 : 1;
  if (kind == "brief") return 20;
  return 4;
}

// Touches the pages of these steps; false if there is no memory for them.
bool run_steps(std::string_view kind, long begin, long end) {
  void* mapped = ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  ::madvise(mapped, kPages * kPage, MADV_NOHUGEPAGE);
  auto* next = static_cast<volatile char*>(mapped);
  volatile long work = 0;
  for (long step = begin; step < end; ++step) {
    for (long page = pages_in_step(kind, step); page > 0; --page, next += kPage) *next = 1;
    for (long i = 0; i < 400'000; ++i) work = work + i;
  }
  return true;
}

// Forty processes, one after the other.
bool run_processes() {
  constexpr long kPart = kSteps / 40;
  for (long begin = 0; begin < kSteps; begin += kPart) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run_steps("drift", begin, begin + kPart) ? 0 : 1);
    int status = 1;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) return false;
  }
  return true;
}

// Two threads at the same time, one with drift.
bool run_threads() {
  bool drifted = false;
  std::thread other([&drifted] { drifted = run_steps("drift", 0, kSteps / 2); });
  const bool steady = run_steps("steady", 0, kSteps / 2);
  other.join();
  return drifted && steady;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view kind = count > 1 ? words[1] : "steady";
  const bool done = kind == "processes" ? run_processes()
                    : kind == "threads"
                        ? run_threads()
                        : run_steps(kind, 0, kind == "brief" ? kBriefSteps : kSteps);
  if (!done) return 1;
  rusage own{};
  rusage of_children{};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &of_children);
  std::printf("%ld\n", own.ru_minflt + of_children.ru_minflt);
}
