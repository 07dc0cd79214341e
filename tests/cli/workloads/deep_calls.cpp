// deep_calls PAGES: calls itself five times, without frame pointers, and touches PAGES fresh pages
// in one function and three times as many in another: who called is to be told from the stack
// alone.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace {

volatile char sink;

}  // namespace

// Named in C, so that every reader of recordings writes them alike.
extern "C" {
[[gnu::noinline]] void touch(volatile char* memory, long pages) {
  const long page = sysconf(_SC_PAGESIZE);
  for (long i = 0; i < pages; ++i) memory[i * page] = 1;
}

[[gnu::noinline]] void touch_few(volatile char* memory, long pages) {
  touch(memory, pages);
  sink = memory[0];
}

[[gnu::noinline]] void touch_many(volatile char* memory, long pages) {
  touch(memory, 3 * pages);
  sink = memory[0];
}

[[gnu::noinline]] void descend(int depth, volatile char* memory, long pages) {
  if (depth > 1) {
    descend(depth - 1, memory, pages);
  } else {
    touch_few(memory, pages);
    touch_many(memory + pages * sysconf(_SC_PAGESIZE), pages);
  }
  sink = memory[0];
}
}

int main(int argc, char** argv) {
  const long pages = argc > 1 ? std::atol(argv[1]) : 1;
  const auto size = static_cast<std::size_t>(4 * pages * sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  madvise(memory, size, MADV_NOHUGEPAGE);
  descend(5, static_cast<char*>(memory), pages);
}
