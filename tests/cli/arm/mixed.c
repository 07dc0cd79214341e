/* A program with most kinds of ARM instructions: integers, divisions, floating point in both
 * precisions, strings, calls by pointers, recursion, vectors. It prints a checksum. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400 };
static double values[N];
static float singles[N];
static int64_t wide[N];
static char text[4 * N];

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int by_case(unsigned kind, int value) {
  switch (kind % 8) {
    case 0:
      return value * 3;
    case 1:
      return value / 7;
    case 2:
      return value << 3;
    case 3:
      return value % 11;
    case 4:
      return value ^ 0x55;
    case 5:
      return -value;
    case 6:
      return value > 100 ? value - 100 : value + 100;
    default:
      return 0;
  }
}

int main(void) {
  uint64_t sum = 0;
  for (int i = 0; i < N; ++i) {
    values[i] = sqrt(i * 7919 % 1009) / (i + 1.5);
    singles[i] = (float)values[i] * 1.25f - 3.f;
    wide[i] = (int64_t)i * i * 1000003 / (i + 3) - (int64_t)(values[i] * 1e6);
    sum += (uint64_t)wide[i] + (unsigned)by_case((unsigned)i, i * 37);
  }
  qsort(values, N, sizeof *values, ascending);
  for (int i = 1; i < N; ++i)
    singles[i] += singles[i - 1] * 0.5f + (float)(values[i] > values[i - 1]);
  for (int i = 0; i < N; ++i) snprintf(text + 4 * i, 5, "%03d", i);
  for (int i = 0; i < 50; ++i) memmove(text + i, text + 3 * i, 100 + (size_t)i);
  sum += strlen(text) + ackermann(2, 12) + (uint64_t)(singles[N - 1] * 1000) +
         (uint64_t)(values[N / 2] * 1e9);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
