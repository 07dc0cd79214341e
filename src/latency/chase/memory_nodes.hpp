// The NUMA nodes that have memory.
#pragma once

#include <string>
#include <vector>

namespace tacho::chase {

struct Node {
  int number = 0;
  std::vector<int> cpus;
};
// A machine without NUMA has one node, 0, with all CPUs that the thread may use. `root` is a prefix
// of /sys.
std::vector<Node> memory_nodes(const std::string& root = {});

}  // namespace tacho::chase
