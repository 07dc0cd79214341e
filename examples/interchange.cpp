// interchange: naive with its two inner loops swapped, to be measured against it.
//
//   interchange [n [0]]    n from 1 to 8192, 500 if left out; 0: all but the product itself
//
// The innermost loop now walks rows of the second matrix and of the result: neighbouring floats,
// one new cache line in sixteen steps. Arithmetic and checksum are those of naive.
//
// What to look for in the machine code, with
//   objdump -d --no-show-raw-insn -M intel build/release/examples/interchange
// (x86-64, function multiply): the inner loop loads b[k][j], multiplies it (mulss) with a[i][k],
// which stays in a register, adds c[i][j] from memory (addss), and stores c[i][j]. All steps are
// 4 bytes.
#include "matrix.hpp"

namespace {

// noinline: a function of its own in every profile, and no view of the inputs' values from here.
// __restrict__: without it a[i][k] would be loaded again after every store to c.
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
