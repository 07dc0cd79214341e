// outlived PAGES: prints "ready"; its first thread ends when a line comes, and the second one then
// touches so many fresh pages, one each 0.4 ms or so.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> alone = false;

void touch(std::size_t pages) {
  using std::chrono::microseconds;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = pages * page;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  madvise(memory, size, MADV_NOHUGEPAGE);
  while (!alone) std::this_thread::sleep_for(microseconds(1000));
  std::this_thread::sleep_for(microseconds(100'000));  // until the other one has ended
  for (std::size_t i = 0; i < pages; ++i) {
    static_cast<volatile char*>(memory)[i * page] = 1;
    std::this_thread::sleep_for(microseconds(400));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::thread second(touch, argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0);
  second.detach();
  std::puts("ready");
  std::fflush(stdout);
  std::getchar();
  alone = true;
  pthread_exit(nullptr);
}
