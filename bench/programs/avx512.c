// Vectors of AVX-512, which Valgrind does not know.
#include <immintrin.h>
#include <stdio.h>

int main(void) {
  int parts[16];
  _mm512_storeu_si512(parts, _mm512_add_epi32(_mm512_set1_epi32(1), _mm512_set1_epi32(2)));
  printf("%d\n", parts[7]);
  return 0;
}
