#include "pmu/registers/make_driver.hpp"

#include "pmu/registers/arm1176_driver.hpp"
#include "pmu/registers/armv7_aarch64_driver.hpp"

namespace tacho::arm {

std::unique_ptr<Driver> make_driver(Architecture architecture, const CoreTraits& core,
                                    Registers& registers, int counters) {
  if (architecture == Architecture::armv6) return make_arm1176_driver(registers);
  // A program of 32 bits sees only the lower half of AArch64's cycle counter.
  const bool wide = architecture == Architecture::aarch64 && sizeof(void*) == 8;
  return make_armv7_aarch64_driver(
      {.cycle_bits = wide ? 64U : 32U, .tells_modes = core.tells_modes}, registers, counters);
}

}  // namespace tacho::arm
