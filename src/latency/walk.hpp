// Walking a list as a workload of its own, for other tools and for counting its events.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "latency/chase/kernels.hpp"
#include "latency/inference/samples.hpp"

namespace tacho {

// A list and how far to walk it.
struct Walk {
  std::size_t bytes = 0;  // of its lines
  std::size_t steps = 0;
  std::size_t line_bytes = 64;
  Layout layout = Layout::packed;
  chase::Access access = chase::Access::load;
  bool huge_pages = false;
};

// Makes the list and walks it. Takes far less than a second for the lists that tools look at.
Result<void> walk_list(const Walk& walk);

// The arguments with which `tacho latency` does that.
std::vector<std::string> arguments_of(const Walk& walk);

}  // namespace tacho
