// The numbers of the kernel's perf_event ABI that event names stand for (perf_event_open(2):
// perf_event_attr.type and .config). Written out here because only the pmu and perfdata rooms
// include the kernel's header.
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

// perf_event_attr.bp_type of kBreakpoint, whose .config1 is the address and .config2 the bytes
inline constexpr std::uint32_t kBreakpointReads = 1;
inline constexpr std::uint32_t kBreakpointWrites = 2;
inline constexpr std::uint32_t kBreakpointExecutes = 4;

// .config of kSoftware, where more than the names' table needs them
inline constexpr std::uint64_t kCpuClock = 0;
inline constexpr std::uint64_t kTaskClock = 1;
inline constexpr std::uint64_t kContextSwitches = 3;
inline constexpr std::uint64_t kCpuMigrations = 4;
inline constexpr std::uint64_t kCgroupSwitches = 11;

// .config of kCache is cache | operation << 8 | result << 16
inline constexpr unsigned kCacheOperationShift = 8;
inline constexpr unsigned kCacheResultShift = 16;

// On machines with several core PMUs (big and little cores) the upper half of .config of kHardware
// and kCache may name the PMU meant, by its type.
inline constexpr unsigned kPmuTypeShift = 32;

// perf_event_attr.precise_ip has two bits
inline constexpr std::uint8_t kMaxPrecise = 3;

}  // namespace tacho::abi
