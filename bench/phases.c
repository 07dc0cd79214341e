/* phases WORK REPEATS: a workload with two phases of adjustable length, repeated REPEATS times. The
 * first phase is WORK rounds of arithmetic; the second loads from random places in 4 MB and takes
 * about as long. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kWords = 1 << 20, kArithmeticPerLoad = 40 };

static volatile uint32_t words[kWords];

int main(int argc, char** argv) {
  const long work = argc > 1 ? atol(argv[1]) : 1000;
  const long repeats = argc > 2 ? atol(argv[2]) : 1;
  uint32_t x = 1;
  uint32_t sum = 0;
  for (long repeat = 0; repeat < repeats; ++repeat) {
    for (long i = 0; i < work; ++i) {
      x = x * 1664525 + 1013904223;
      sum += x >> 31 ? x : ~x;
    }
    for (long i = 0; i < work / kArithmeticPerLoad; ++i) {
      x = x * 1664525 + 1013904223;
      sum += words[x / (UINT32_MAX / kWords + 1)];
    }
  }
  printf("%u\n", sum);
  return 0;
}
