// moved_counters EVENT READS MICROSECONDS: a thread reads its own counter of the event with the
// public library, as often as asked. A child process moves it to the next CPU every MICROSECONDS;
// its real-time priority (which needs root) lets it interrupt the thread at any instruction.
// The first line of output is the read method. The second has the numbers of reads that were
// refused, of counts that fell, and of moves.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tacho/counters.hpp"

namespace {

[[noreturn]] void move(pid_t thread, useconds_t every, std::atomic<unsigned>& moves) {
  const auto cpus = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  const sched_param first{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &first) != 0) ::_exit(1);
  for (;; ++moves) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(moves % cpus, &set);
    if (::sched_setaffinity(thread, sizeof set, &set) != 0) ::_exit(1);
    ::usleep(every);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto counters = tacho::Counters::open({argv[1]});
  std::printf("%s\n", counters.explain().c_str());
  std::fflush(stdout);
  void* shared = ::mmap(nullptr, sizeof(std::atomic<unsigned>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& moves = *new (shared) std::atomic<unsigned>(0);
  const pid_t reader = ::getpid();
  const pid_t mover = ::fork();
  if (mover == 0) move(reader, static_cast<useconds_t>(std::atoi(argv[3])), moves);
  std::uint64_t last = 0;
  std::uint64_t now = 0;
  unsigned long refused = 0;
  unsigned long fell = 0;
  for (long left = std::atol(argv[2]); left > 0; --left) {
    if (!counters.read(&now)) {
      ++refused;
      continue;
    }
    if (now < last) ++fell;
    last = now;
  }
  ::kill(mover, SIGKILL);
  ::waitpid(mover, nullptr, 0);
  std::printf("%lu %lu %u\n", refused, fell, moves.load());
  return 0;
}
