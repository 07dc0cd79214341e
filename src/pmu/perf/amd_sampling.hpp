// AMD's two ways to sample that take only certain events and settings: branch sampling of Zen 3
// (BRS) and instruction-based sampling (IBS), to which the kernel also passes precise events. The
// rules are in arch/x86/events/amd/brs.c, ibs.c and core.c of Linux. They were not tried on such a
// processor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "events/event.hpp"
#include "pmu/perf/perf_open.hpp"

namespace tacho {

struct AmdSampling {
  bool brs = false;             // branch stacks come from BRS
  std::uint32_t ibs_op = 0;     // perf_event_attr.type of IBS; 0: there is none
  std::uint32_t ibs_fetch = 0;  // likewise
  bool ibs_has_swfilt = false;  // the kernel can leave out samples of a level (Linux 6.14)
};

// What sysfs says, in a directory like /sys/bus/event_source/devices.
AmdSampling find_amd_sampling(const std::string& sysfs);
// That of this machine. Read once.
const AmdSampling& amd_sampling();

// The event and the period (events) with which BRS gives branch stacks: some thousand samples a
// second of a program with a taken branch in five cycles. It is a prime number, so that few loops
// stay in step with it.
inline constexpr const char* kBrsEvent = "cpu/branch-brs/";
inline constexpr std::uint64_t kBrsPeriod = 200'003;

// The cause of an error of perf_event_open and the remedy, if they are AMD's.
std::optional<Error> meaning_on_amd(const AmdSampling& amd, const Event& event, const PerfOpen& how,
                                    int code);
// The same on this machine. Reads sysfs only for events that can be AMD's.
std::optional<Error> meaning_on_amd(const Event& event, const PerfOpen& how, int code);

}  // namespace tacho
