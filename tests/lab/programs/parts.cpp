// parts THREADS FORKS MILLIONS: starts threads and child processes, and waits for them. Each
// executes a loop of MILLIONS million instructions, and few others.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void loop(std::uintptr_t iterations) {  // two instructions each
  asm volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(iterations) : : "cc");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto iterations = static_cast<std::uintptr_t>(std::atol(argv[3])) * 500'000;
  std::vector<std::thread> threads;
  for (long i = 0; i < std::atol(argv[1]); ++i) threads.emplace_back(loop, iterations);
  for (long i = 0; i < std::atol(argv[2]); ++i) {
    if (::fork() != 0) continue;
    loop(iterations);
    ::_exit(0);
  }
  for (std::thread& thread : threads) thread.join();
  while (::wait(nullptr) > 0) {
  }
  return 0;
}
