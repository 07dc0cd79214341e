// The interface to the registers of an ARM core's performance monitor. It separates the drivers,
// which run anywhere, from the hardware.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "pmu/registers/module_status.hpp"

namespace tacho::arm {

// The registers by function. The comments have ARM's names on the ARM1176, then on ARMv7 and
// AArch64.
enum class Register : std::uint8_t {
  control,          // PMNC, PMCR
  cycles,           // CCR, PMCCNTR
  count0,           // PMC0
  count1,           // PMC1
  enable_set,       // PMCNTENSET
  enable_clear,     // PMCNTENCLR
  overflow,         // PMOVSR, PMOVSCLR: writing 1 clears a flag
  select,           // PMSELR: selects the counter of the next two
  event_type,       // PMXEVTYPER
  event_count,      // PMXEVCNTR
  common_events_0,  // PMCEID0: which of the events 0x00 to 0x1f exist
  common_events_1,  // PMCEID1: the same for 0x20 to 0x3f
};

// A refused access (SIGILL) does no harm: it reads as 0, and settle() reports it.
struct Registers {
  virtual ~Registers() = default;
  virtual std::uint64_t read(Register) = 0;
  virtual void write(Register, std::uint64_t) = 0;
  // An error if an access since the last call was refused. To be called after accesses, before
  // their results are used.
  virtual Result<void> settle() = 0;
};

// Whether this program has instructions that reach the registers.
#if defined(__arm__) || defined(__aarch64__)
inline constexpr bool kReachable = true;
#else
inline constexpr bool kReachable = false;
#endif

}  // namespace tacho::arm
