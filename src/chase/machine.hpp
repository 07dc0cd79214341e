// The machine that is measured, as the kernel describes it: its CPUs, caches and NUMA nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/latency.hpp"
#include "base/result.hpp"

namespace tacho::chase {

// The data and unified caches of a CPU, from the first level up. `root` stands before /sys.
std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root = {});

// The CPUs that the calling thread may run on.
std::vector<int> allowed_cpus();

// Keeps the calling thread to a CPU. An error names those there are.
Result<void> keep_to(int cpu);

struct Node {
  int number = 0;
  std::vector<int> cpus;
};
// The NUMA nodes with memory; a machine that knows none has one, 0, with all CPUs that are allowed.
std::vector<Node> memory_nodes(const std::string& root = {});

}  // namespace tacho::chase
