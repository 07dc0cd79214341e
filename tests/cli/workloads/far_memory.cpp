// far_memory ADDRESS…: maps 16 KiB at each address (in hexadecimal) and reads a word of every line
// of them 100 times. Go, Node and Java choose the addresses of their memory like this. The
// addresses are printed.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** addresses) {
  constexpr unsigned kBytes = 16 * 1024, kLine = 64, kRounds = 100;
  constexpr int kMost = 16;
  volatile char* areas[kMost];
  int used = 0;
  for (int i = 1; i < count && used < kMost; ++i) {
    void* const wanted = reinterpret_cast<void*>(std::strtoull(addresses[i], nullptr, 16));
    void* const area =
        mmap(wanted, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) return 1;
    areas[used++] = static_cast<volatile char*>(area);
    std::printf("%p\n", area);
  }
  unsigned sum = 0;
  for (unsigned round = 0; round < kRounds; ++round)
    for (unsigned at = 0; at < kBytes; at += kLine)
      for (int i = 0; i < used; ++i) sum += static_cast<unsigned char>(areas[i][at]);
  return sum == 0 ? 0 : 2;
}
