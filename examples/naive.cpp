// naive: the textbook product of two n×n matrices of floats, as a program to measure.
//
//   naive [n [0]]    n from 1 to 8192, 500 if left out; 0: everything but the product
//
// The innermost loop walks down a column of the second matrix. Each step skips a whole row, so
// nearly every load of b is from another cache line. interchange is the same program with the two
// inner loops swapped. Both print the same checksum.
//
// What to look for in the machine code, with
//   objdump -d --no-show-raw-insn -M intel build/release/examples/naive
// (x86-64, function multiply): the inner loop loads a[i][k] (steps of 4 bytes) and b[k][j] (steps
// of 4·n bytes), multiplies (mulss), adds to the sum in a register (addss), and stores nothing.
#include "matrix.hpp"

namespace {

// noinline: every profile has a row for this function, and the compiler does not see the inputs.
[[gnu::noinline]] void multiply(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return multiply_and_print("naive", argc, argv, multiply);
}
