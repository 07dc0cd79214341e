// touch_pages PAGES SPIN [SLOWER]: touches fresh pages one after the other, with SPIN dependent
// operations between two, and SLOWER times as many in the second half of the pages. Prints how many
// page faults that took by the kernel's own books (getrusage(2)).
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr long kChunk = 256;  // pages mapped at a time, so that memory stays small

long faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

void spin(long operations) {
  std::uint64_t x = 1;
  for (long i = 0; i < operations; ++i) {
    x = x * 3 + 1;
    asm volatile("" : "+r"(x));
  }
}

void touch_chunk(long pages, long operations) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t size = static_cast<std::size_t>(pages) * page;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; ++i) {
    static_cast<volatile char*>(memory)[static_cast<std::size_t>(i) * page] = 1;
    spin(operations);
  }
  munmap(memory, size);
}

}  // namespace

int main(int argc, char** argv) {
  const long pages = argc > 1 ? std::atol(argv[1]) : 0;
  const long operations = argc > 2 ? std::atol(argv[2]) : 0;
  const long slower = argc > 3 ? std::atol(argv[3]) : 1;
  const long before = faults();
  for (long done = 0; done < pages; done += kChunk) {
    const long left = pages - done;
    touch_chunk(left < kChunk ? left : kChunk, done < pages / 2 ? operations : operations * slower);
  }
  std::printf("%ld\n", faults() - before);
}
