// moved_counters EVENT MOVES MICROSECONDS: a thread that may run on every CPU reads its own counter
// of the event with the public library, all the time. A child process moves it MOVES times to the
// next CPU, every MICROSECONDS; its real-time priority (which needs root) lets it interrupt the
// thread at any instruction. The first line of output is the read method. The second has the
// numbers of reads, of those that were refused, and of counts that fell.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tacho/counters.hpp"

namespace {

// The thread stays where it is until it is moved.
bool allow_every_cpu(unsigned cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned cpu = 0; cpu < cpus; ++cpu) CPU_SET(cpu, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

// Returns whether it could move the thread.
bool move(pid_t thread, unsigned cpus, unsigned times, useconds_t every) {
  const sched_param first{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &first) != 0) return false;
  for (unsigned moves = 0; moves < times; ++moves) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(moves % cpus, &set);
    if (::sched_setaffinity(thread, sizeof set, &set) != 0) return false;
    ::usleep(every);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto cpus = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (!allow_every_cpu(cpus)) return 1;
  auto counters = tacho::Counters::open({argv[1]});
  std::printf("%s\n", counters.explain().c_str());
  std::fflush(stdout);
  void* shared = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& over = *new (shared) std::atomic<bool>(false);
  const auto times = static_cast<unsigned>(std::atoi(argv[2]));
  const auto every = static_cast<useconds_t>(std::atoi(argv[3]));
  const pid_t reader = ::getpid();
  const pid_t mover = ::fork();
  if (mover == 0) {
    const bool could = move(reader, cpus, times, every);
    over = true;
    ::_exit(could ? 0 : 1);
  }
  std::uint64_t last = 0;
  std::uint64_t now = 0;
  unsigned long reads = 0;
  unsigned long refused = 0;
  unsigned long fell = 0;
  for (; !over; ++reads) {
    if (!counters.read(&now)) {
      ++refused;
      continue;
    }
    if (now < last) ++fell;
    last = now;
  }
  int status = 0;
  ::waitpid(mover, &status, 0);
  std::printf("%lu %lu %lu\n", reads, refused, fell);
  return status == 0 ? 0 : 1;
}
