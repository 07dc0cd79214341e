// Shared by naive and interchange: the arguments, the inputs and the checksum. The regions belong
// to self-naive and self-interchange; in naive and interchange they compile to nothing.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tacho/caliper.hpp"

// Computes c += a b for row-major n×n matrices. c is zero at first.
using Multiply = void (*)(const float* a, const float* b, float* c, std::size_t n);

// Reads a whole number from `least` to `most` into `value`; returns false if the text is none.
inline bool parsed(const char* text, std::size_t least, std::size_t most, std::size_t& value) {
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc{} && stop == end && value >= least && value <= most;
}

// Runs `multiply` argv[2] times (0 or 1) on matrices of size argv[1] and prints one line. Returns
// the exit status: 0, or 2 for a bad argument.
inline int multiply_and_print(const char* program, int argc, char** argv, Multiply multiply) {
  constexpr std::size_t kLargest = 8192;
  std::size_t n = 500, times = 1;
  const int bad = argc > 1 && !parsed(argv[1], 1, kLargest, n) ? 1
                  : argc > 2 && !parsed(argv[2], 0, 1, times)  ? 2
                  : argc > 3                                   ? 3
                                                               : 0;
  if (bad != 0) {
    std::fprintf(
        stderr,
        "%s: bad argument '%s': give one size from 1 to %zu, and 0 to leave out the product\n",
        program, argv[bad], kLargest);
    return 2;
  }

  // The inputs are integers from 0 to 3, so every sum is at most 9·8192. A float holds these sums
  // exactly, so the order of summation can't change the result.
  std::vector<float> a(n * n), b(n * n), c(n * n);
  {
    TACHO_REGION("initialisation");
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        a[row * n + column] = static_cast<float>((3 * row + column) % 4);
        b[row * n + column] = static_cast<float>((row + row * column) % 4);
      }
    }
  }
  if (times > 0) {
    TACHO_REGION("product");
    multiply(a.data(), b.data(), c.data(), n);
  }

  // Polynomial hash modulo 2⁶⁴: it changes if an element is missing or in another place.
  std::uint64_t checksum = 0;
  for (const float element : c) checksum = checksum * 31 + static_cast<std::uint64_t>(element);
  std::printf("%s: n = %zu, checksum %016llx\n", program, n,
              static_cast<unsigned long long>(checksum));
  return 0;
}
