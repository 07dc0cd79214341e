#include "latency/chase/memory_nodes.hpp"

#include <fmt/format.h>

#include "base/cpus.hpp"
#include "base/file.hpp"

namespace tacho::chase {

std::vector<Node> memory_nodes(const std::string& root) {
  const std::string directory = root + "/sys/devices/system/node/";
  std::vector<Node> nodes;
  for (const int number : parse_cpu_list(first_line(directory + "has_memory")))
    nodes.push_back(
        {number, parse_cpu_list(first_line(fmt::format("{}node{}/cpulist", directory, number)))});
  if (nodes.empty()) nodes.push_back({0, allowed_cpus()});
  return nodes;
}

}  // namespace tacho::chase
