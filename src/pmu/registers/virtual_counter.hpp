// Computes the gain of a counter's narrow register between two readings.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace tacho::arm {

enum class Doubtful {
  overrun,  // it wrapped around, and then passed the last reading
  written,  // other software wrote to it
};
std::string_view to_string(Doubtful);

// The gain from `last` to `now` of a register with this number of bits. `overflowed` is its flag:
// the register wrapped around at least once in between. Two wraps look like one if `now` is below
// `last`, so the caller must take the readings close together. The flag of a register with 64 bits
// is ignored, because it does not overflow.
std::expected<std::uint64_t, Doubtful> gained(std::uint64_t last, std::uint64_t now,
                                              bool overflowed, unsigned bits);

}  // namespace tacho::arm
