// The registers of an ARM core's performance monitor, and how they are reached: the seam between
// the drivers, which run anywhere, and the hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "pmu/registers/status.hpp"

namespace tacho::arm {

// Names are by what they do; ARM's own stand behind: of the ARM1176, of ARMv7 and AArch64.
enum class Register : std::uint8_t {
  control,          // PMNC, PMCR
  cycles,           // CCR, PMCCNTR
  count0,           // PMC0
  count1,           // PMC1
  enable_set,       // PMCNTENSET
  enable_clear,     // PMCNTENCLR
  overflow,         // PMOVSR, PMOVSCLR: a 1 that is written clears
  select,           // PMSELR: of which counter the next two are
  event_type,       // PMXEVTYPER
  event_count,      // PMXEVCNTR
  common_events_0,  // PMCEID0: which of the events 0x00 to 0x1f there are
  common_events_1,  // PMCEID1: 0x20 to 0x3f
};

// An access that is refused (SIGILL) does no harm: it reads as 0, and settle() tells of it.
struct Registers {
  virtual ~Registers() = default;
  virtual std::uint64_t read(Register) = 0;
  virtual void write(Register, std::uint64_t) = 0;
  // To be called after some accesses and before anything is believed of them: the first that was
  // refused since the last call.
  virtual Result<void> settle() = 0;
};

// Whether this program can reach any.
#if defined(__arm__) || defined(__aarch64__)
inline constexpr bool kReachable = true;
#else
inline constexpr bool kReachable = false;
#endif

// Those of the CPU on which the calling thread runs. One at a time: it handles SIGILL while it
// lives. An error where the program was not built for this architecture.
Result<std::unique_ptr<Registers>> cpu_registers(Architecture architecture);

}  // namespace tacho::arm
