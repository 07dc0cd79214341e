// The numbers of the kernel's perf_event ABI that the names of events are translated to
// (perf_event_open(2): perf_event_attr.type and .config). They are repeated here because only the
// rooms pmu and perfdata include the kernel's header.
#pragma once

#include <cstdint>

namespace tacho::abi {

// perf_event_attr.type
inline constexpr std::uint32_t kHardware = 0;
inline constexpr std::uint32_t kSoftware = 1;
inline constexpr std::uint32_t kTracepoint = 2;
inline constexpr std::uint32_t kCache = 3;
inline constexpr std::uint32_t kRaw = 4;
inline constexpr std::uint32_t kBreakpoint = 5;

// perf_event_attr.bp_type of kBreakpoint; .config1 is the address, .config2 the number of bytes
inline constexpr std::uint32_t kBreakpointReads = 1;
inline constexpr std::uint32_t kBreakpointWrites = 2;
inline constexpr std::uint32_t kBreakpointExecutes = 4;

// .config of kSoftware: the numbers that are used outside the table of generic names
inline constexpr std::uint64_t kCpuClock = 0;
inline constexpr std::uint64_t kTaskClock = 1;
inline constexpr std::uint64_t kContextSwitches = 3;
inline constexpr std::uint64_t kCpuMigrations = 4;
inline constexpr std::uint64_t kCgroupSwitches = 11;

// .config of kCache is cache | operation << 8 | result << 16
inline constexpr unsigned kCacheOperationShift = 8;
inline constexpr unsigned kCacheResultShift = 16;

// On machines with several core PMUs (big and little cores) the upper half of the .config of
// kHardware and kCache may hold the type of one PMU, which then counts the event.
inline constexpr unsigned kPmuTypeShift = 32;

// The greatest value of perf_event_attr.precise_ip, which has two bits
inline constexpr std::uint8_t kMaxPrecise = 3;

}  // namespace tacho::abi
