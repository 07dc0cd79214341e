// Where the next line of a cycle goes: the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacho::chase {

class Draw {
 public:
  // One of so many, up to 2^32, each as likely as any other.
  std::size_t below(std::size_t count) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    // The high half times the count: its high half is drawn.
    return static_cast<std::size_t>((random_ >> 32U) * static_cast<std::uint64_t>(count) >> 32U);
  }

 private:
  std::uint64_t random_ = 1;
};

}  // namespace tacho::chase
