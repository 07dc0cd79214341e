/* products N FILE: computes the matrix product of examples/naive.cpp again and again, until it is
 * killed. FILE holds the number of finished rows, as a 64-bit number that other programs can read
 * at any time. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t n = strtoul(argv[1], NULL, 10);
  const int file = open(argv[2], O_RDWR | O_CREAT, 0600);
  if (n == 0 || file < 0 || ftruncate(file, sizeof(uint64_t)) != 0) return 1;
  volatile uint64_t* const rows =
      mmap(NULL, sizeof *rows, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  float* const a = calloc(n * n, sizeof *a);
  float* const b = calloc(n * n, sizeof *b);
  volatile float* const c = calloc(n * n, sizeof *c);
  if (rows == MAP_FAILED || a == NULL || b == NULL || c == NULL) return 1;
  for (size_t i = 0; i < n * n; ++i) a[i] = b[i] = (float)(i % 4);
  for (;;) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
      ++*rows;
    }
  }
}
