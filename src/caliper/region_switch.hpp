// The switch of the regions, which are off until the environment, the program or another process
// (tacho regions -p PID) turns them on. One word, tacho_regions_state, has all that a begin needs
// to know: whether regions are on, how often they were turned on or off, and what another process
// asks for.
#pragma once

#include <atomic>
#include <cstdint>

#include "tacho/caliper.hpp"

namespace tacho::caliper {

// Requests are the second byte of the word. Another process writes only this byte, and this process
// only changes the word atomically, so neither loses what the other one writes.
enum Request : std::uint32_t { kAskOn = 0x100, kAskOff = 0x200, kAskReport = 0x400 };

// The times that regions were turned on or off are the upper half.
constexpr std::uint16_t turn_of(std::uint32_t state) {
  return static_cast<std::uint16_t>(state >> 16);
}

// Whether regions were on then, and were not turned off until now.
constexpr bool is_on_since(std::uint32_t then, std::uint32_t now) {
  return (then & detail::kOn) != 0 && turn_of(then) == turn_of(now);
}

// Takes the requests from the word.
std::uint32_t take_requests() noexcept;

// Whether regions are on since the library was loaded. If not, an execution can have begun while
// they were off.
bool always_on() noexcept;

// How long regions were on since the library was loaded, or since the fork. The two are equal if
// regions were always on.
struct OnTime {
  double on_s = 0;
  double of_s = 0;
};
OnTime on_time() noexcept;
void restart_on_time() noexcept;  // in the child of a fork

}  // namespace tacho::caliper
