// A hardware counter's narrow register made wide: what it gained between two readings.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace tacho::arm {

enum class Doubtful {
  overrun,  // it went once around, and further
  written,  // somebody else wrote to it
};
std::string_view to_string(Doubtful);

// From `last` to `now` in a register of so many bits. `overflowed` is its flag: whether it went
// from its highest value to 0 meanwhile, at least once. Twice can't be told from once where it ends
// below `last`: that the readings are close enough to each other is the caller's to see to. The
// flag is of no use, and not looked at, where the register has 64 bits: it does not overflow.
std::expected<std::uint64_t, Doubtful> gained(std::uint64_t last, std::uint64_t now,
                                              bool overflowed, unsigned bits);

}  // namespace tacho::arm
