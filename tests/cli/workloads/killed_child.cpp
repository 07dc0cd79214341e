// killed_child N: a child counts N down, in two instructions a step, says so, and waits until its
// parent kills it.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

int main(int argc, char** argv) {
  long left = argc > 1 ? std::atol(argv[1]) : 1;
  int ready[2];
  if (left < 1 || pipe(ready) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
#if defined(__x86_64__)
    asm volatile("1: dec %0; jnz 1b" : "+r"(left)::"cc");
#endif
    if (write(ready[1], "!", 1) != 1) return 1;
    for (;;) pause();
  }
  char said = 0;
  const bool heard = read(ready[0], &said, 1) == 1;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return heard ? 0 : 1;
}
