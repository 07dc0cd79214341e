// A sum that four threads share.
#include <stdio.h>

int main(void) {
  double sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int i = 1; i <= 1000000; ++i) sum += 1.0 / i;
  printf("%.6f\n", sum);
  return 0;
}
