// interchange: naive with its two inner loops swapped, for comparison.
//
//   interchange [n [0]]    n from 1 to 8192, 500 if left out; 0: everything but the product
//
// The innermost loop now walks along rows of the second matrix and of the result: neighbouring
// floats, one new cache line in sixteen steps. Arithmetic and checksum are the same as in naive.
//
// What to look for in the machine code, with
//   objdump -d --no-show-raw-insn -M intel build/release/examples/interchange
// (x86-64, function multiply): the inner loop loads b[k][j] and multiplies it (mulss) by a[i][k],
// which stays in a register. It adds c[i][j] from memory (addss) and stores c[i][j]. Every step is
// 4 bytes.
#include "matrix.hpp"

namespace {

// noinline: every profile has a row for this function, and the compiler does not see the inputs.
// __restrict__: otherwise a[i][k] would be loaded again after every store to c.
[[gnu::noinline]] void multiply(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const float factor = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return multiply_and_print("interchange", argc, argv, multiply);
}
