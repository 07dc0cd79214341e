// faults: touches a known number of pages in processes and threads, to be counted.
//
//   faults PROCESSES THREADS PAGES [wait]
//
// Each of the processes (one after another) and of the threads (all at once) touches PAGES fresh
// pages once. Prints how many page faults the kernel charged to this process and its children
// (getrusage). With `wait`, the threads then stay until standard input ends; a line `ready` says
// that they are all there.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

void touch(long pages) {
  const long page = ::sysconf(_SC_PAGESIZE);
  const auto size = static_cast<std::size_t>(pages * page);
  if (size == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  ::madvise(memory, size, MADV_NOHUGEPAGE);  // one fault a page
  for (long i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
}

long faults_of(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const long processes = std::atol(argv[1]);
  const long threads = std::atol(argv[2]);
  const long pages = std::atol(argv[3]);
  const bool wait = argc > 4 && std::strcmp(argv[4], "wait") == 0;

  for (long i = 0; i < processes; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) return 1;
    if (pid == 0) {
      touch(pages);
      ::_exit(0);
    }
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid || status != 0) return 1;
  }

  std::barrier all(threads + 1);  // so that all threads live at once
  std::vector<std::jthread> team;
  for (long i = 0; i < threads; ++i) {
    team.emplace_back([&] {
      touch(pages);
      all.arrive_and_wait();
      if (wait) all.arrive_and_wait();
    });
  }
  all.arrive_and_wait();
  if (wait) {
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != EOF) continue;
    all.arrive_and_wait();
  }
  team.clear();
  std::printf("%ld\n", faults_of(RUSAGE_SELF) + faults_of(RUSAGE_CHILDREN));
}
