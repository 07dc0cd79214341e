// The caches of a CPU, as sysfs describes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// A field is 0 or empty if sysfs does not have it.
struct SysfsCache {
  std::uint64_t level = 0;
  std::string type;        // Data, Instruction or Unified
  std::uint64_t size = 0;  // bytes
  std::uint64_t ways = 0;
  std::uint64_t line = 0;  // bytes
  std::uint64_t sets = 0;
  std::string cpus;  // those that share it: "0-3,8"
};

// Returns every cache that has a level. Example of `cpu_directory`: /sys/devices/system/cpu/cpu0.
std::vector<SysfsCache> sysfs_caches(const std::string& cpu_directory);

// Returns the number at the start of a text; K or M after it means KiB or MiB. 0 if there is no
// number, or if it is above 10^11.
std::uint64_t leading_number(std::string_view text);

}  // namespace tacho
