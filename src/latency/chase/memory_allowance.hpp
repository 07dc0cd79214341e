// How much memory a list may take: what is free on the machine and in every control group above.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"

namespace tacho::chase {

struct Allowance {
  std::size_t bytes = 0;  // free without swapping or killing anything
  std::string limit;      // what limits it: "free memory", or the control group's file
};

// `root` is a prefix of /proc and /sys.
Result<Allowance> memory_allowance(const std::string& root = {});

// An error if a list of so many bytes takes more than seven eighths of it: the machine needs the
// rest.
Result<void> check_room(const Allowance& allowance, std::size_t bytes);

}  // namespace tacho::chase
