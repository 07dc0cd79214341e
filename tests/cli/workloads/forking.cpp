// forking MICROSECONDS SECONDS: a process that forks all the time, as servers do: each MICROSECONDS
// it touches 256 fresh pages and starts a child, which touches 256 pages of its own and lives for
// so many SECONDS. It ends only by a signal; the children end on their own. Prints "ready" at
// first.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

void touch_fresh_pages() {
  constexpr std::size_t kPages = 256;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  ::munmap(memory, kPages * page);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto interval = static_cast<useconds_t>(std::atoi(argv[1]));
  const auto life = static_cast<unsigned>(std::atoi(argv[2]));
  std::signal(SIGCHLD, SIG_IGN);  // no zombies
  std::puts("ready");
  std::fflush(stdout);
  while (true) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that is stopped, nothing stays
      touch_fresh_pages();
      ::sleep(life);
      ::_exit(0);
    }
    touch_fresh_pages();
    ::usleep(interval);
  }
}
