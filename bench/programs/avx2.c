// Vectors of AVX2, with fused multiply-add.
#include <immintrin.h>
#include <stdio.h>

int main(void) {
  __m256d sum = _mm256_setzero_pd();
  for (int i = 0; i < 100000; ++i)
    sum = _mm256_fmadd_pd(_mm256_set1_pd(i), _mm256_set_pd(4, 3, 2, 1), sum);
  double parts[4];
  _mm256_storeu_pd(parts, sum);
  printf("%.0f %.0f\n", parts[0], parts[3]);
  return 0;
}
