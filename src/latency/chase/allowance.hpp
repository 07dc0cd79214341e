// How much memory may be taken without harm: what is free, here and in every control group above.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace tacho::chase {

struct Allowance {
  std::size_t bytes = 0;  // that can be had without anything being pushed out or killed
  std::string limit;      // who says so: "free memory", or the control group's file
};

// `root` stands before /proc and /sys.
Result<Allowance> memory_allowance(const std::string& root = {});

// An error where a list of so many bytes takes more than seven eighths of it: the machine needs
// some to go on.
Result<void> check_room(const Allowance& allowance, std::size_t bytes);

}  // namespace tacho::chase
