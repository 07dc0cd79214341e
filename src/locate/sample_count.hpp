// Samples of one event, and how many events they stand for.
#pragma once

#include <cstdint>

namespace tacho {

struct SampleCount {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;  // of their periods: how many events they stand for
  double squares = 0;     // sum of the squares of their periods

  void add(std::uint64_t period) {
    ++samples;
    sum += period;
    squares += static_cast<double>(period) * static_cast<double>(period);
  }
  SampleCount& operator+=(const SampleCount& other) {
    samples += other.samples;
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
  SampleCount& operator-=(const SampleCount& part) {
    samples -= part.samples;
    sum -= part.sum;
    squares -= part.squares;
    return *this;
  }
};

}  // namespace tacho
