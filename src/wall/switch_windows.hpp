// The windows of time in which the recorder takes samples of switches.
#pragma once

#include <cstdint>

namespace tacho {

// The part of the time that a window of the recorder stands for: switches in the same one are not
// independent draws.
constexpr std::uint64_t window_of(std::uint64_t time_ns) {
  constexpr std::uint64_t kLength = 100'000'000;  // ns: the recorder opens one in each
  return time_ns / kLength;
}

}  // namespace tacho
