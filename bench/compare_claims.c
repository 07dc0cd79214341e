// The programs of compare_claims.py, which compiles this file:
//
//   compare_claims loop ROUNDS                a loop whose steps wait for each other
//   compare_claims launch COUNT FILE [WORD]   forks, executes FILE and waits, COUNT times
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void loop(long rounds) {
  unsigned long x = 3;
  for (; rounds > 0; --rounds) {
    x = x * 5 + 1;
    __asm__ volatile("" : "+r"(x));
  }
}

static int launch(long count, char** words) {
  for (; count > 0; --count) {
    int status = 0;
    if (fork() == 0) {
      execv(words[0], words);
      _exit(127);
    }
    if (wait(&status) < 0 || status != 0) return 1;
  }
  return 0;
}

int main(int count, char** words) {
  if (count > 3 && strcmp(words[1], "launch") == 0) return launch(atol(words[2]), words + 3);
  if (count != 3 || strcmp(words[1], "loop") != 0) return 2;
  loop(atol(words[2]));
  return 0;
}
