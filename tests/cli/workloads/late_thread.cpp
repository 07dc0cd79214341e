// late_thread PAGES: says "ready" and waits for a line; then a new thread touches so many fresh
// pages, while the first one does nothing. Ends when its input ends.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

void touch_fresh_pages(std::size_t pages) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(1);
  ::madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 0;
  std::thread(touch_fresh_pages, static_cast<std::size_t>(std::atol(argv[1]))).join();
  std::puts("touched");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
