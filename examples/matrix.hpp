// What naive and interchange share: the argument, the inputs and the checksum.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

// c += a b for row-major n×n matrices, c zero at first.
using Multiply = void (*)(const float* a, const float* b, float* c, std::size_t n);

// Runs `multiply` on argv[1]'s size and prints one line. Exit status 0, or 2 for a bad argument.
inline int multiply_and_print(const char* program, int argc, char** argv, Multiply multiply) {
  constexpr std::size_t kLargest = 8192;
  std::size_t n = 500;
  if (argc > 1) {
    const char* const end = argv[1] + std::strlen(argv[1]);
    const auto [stop, error] = std::from_chars(argv[1], end, n);
    if (argc > 2 || error != std::errc{} || stop != end || n < 1 || n > kLargest) {
      std::fprintf(stderr, "%s: bad argument '%s': give one size from 1 to %zu\n", program,
                   argv[argc - 1], kLargest);
      return 2;
    }
  }

  // Inputs are integers from 0 to 3: every sum is at most 9·8192, which a float holds exactly, so
  // that the order of summation can't change the result.
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      a[row * n + column] = static_cast<float>((3 * row + column) % 4);
      b[row * n + column] = static_cast<float>((row + row * column) % 4);
    }
  }
  multiply(a.data(), b.data(), c.data(), n);

  // Every element goes in with its place, modulo 2⁶⁴: a transposed or missing one is seen.
  std::uint64_t checksum = 0;
  for (const float element : c) checksum = checksum * 31 + static_cast<std::uint64_t>(element);
  std::printf("%s: n = %zu, checksum %016llx\n", program, n,
              static_cast<unsigned long long>(checksum));
  return 0;
}
