// Measures the clock of the core that it runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tacho {

struct CoreClock {
  std::uint64_t hz = 0;  // rounded to 10 MHz, to make simulations of one machine alike
  double spread = 0;     // of the fastest quarter of the measurements, relative to the fastest
};

// The clock that follows from how long chains of `cycles` cycles took: their fastest quarter, which
// nothing disturbed. Nothing if there is none, or if its spread is above 2 %.
std::optional<CoreClock> clock_of_chains(std::span<const double> seconds, std::uint64_t cycles);

// Takes about 10 ms. Nothing on processors whose additions are not known to take one cycle, and if
// the clock changes or others disturb the core.
std::optional<CoreClock> measured_core_clock();

}  // namespace tacho
