// Random numbers for the order of a list: the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho::chase {

class RandomDraw {
 public:
  // A number from 0 to count - 1, each equally likely. `count` is 2^32 at most.
  std::size_t below(std::size_t count) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    // The high half, scaled from [0, 2^32) to [0, count).
    return static_cast<std::size_t>((random_ >> 32U) * static_cast<std::uint64_t>(count) >> 32U);
  }

 private:
  std::uint64_t random_ = 1;
};

}  // namespace tacho::chase
