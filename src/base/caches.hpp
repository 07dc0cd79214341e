// The caches of a CPU, as sysfs tells of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// 0, or nothing, for what it does not tell.
struct SysfsCache {
  std::uint64_t level = 0;
  std::string type;        // Data, Instruction or Unified
  std::uint64_t size = 0;  // bytes
  std::uint64_t ways = 0;
  std::uint64_t line = 0;  // bytes
};

// Those with a level. `cpu_directory` is such as /sys/devices/system/cpu/cpu0.
std::vector<SysfsCache> sysfs_caches(const std::string& cpu_directory);

// The number in front of a text, with K or M behind it; 0 when there is none, or one that no
// machine has (over 10^11).
std::uint64_t leading_number(std::string_view text);

}  // namespace tacho
