// fork_trees CHILDREN MICROSECONDS: so many children each fork a grandchild after the other. A
// grandchild touches fresh pages for so long and ends. So there is always a fork on its way, also
// while counters are turned off. It ends only by a signal. Prints "ready" when all children run.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

void touch_fresh_pages() {
  constexpr std::size_t kPages = 16;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  ::munmap(memory, kPages * page);
}

[[noreturn]] void fork_for_ever(std::chrono::microseconds life) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (true) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      const auto end = Clock::now() + life;
      while (Clock::now() < end) touch_fresh_pages();
      ::_exit(0);
    }
    if (grandchild < 0) ::_exit(1);
    ::waitpid(grandchild, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::chrono::microseconds life(std::atoi(argv[2]));
  for (int i = 0; i < std::atoi(argv[1]); ++i)
    if (::fork() == 0) fork_for_ever(life);
  std::puts("ready");
  std::fflush(stdout);
  while (true) ::pause();
}
