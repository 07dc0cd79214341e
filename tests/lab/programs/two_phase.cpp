// two_phase N: about N ms of arithmetic in user mode, then about N ms of system calls. So the rate
// of every event changes in the middle.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1;
  std::uint64_t x = 1;
  for (long i = 0; i < n * 100'000; ++i) {
    x = x * 3 + 1;
    asm volatile("" : "+r"(x));
  }
  const int zero = ::open("/dev/zero", O_RDONLY);
  char bytes[64];
  for (long i = 0; i < n * 1'000; ++i)
    if (::read(zero, bytes, sizeof bytes) != sizeof bytes) return 1;
  return 0;
}
