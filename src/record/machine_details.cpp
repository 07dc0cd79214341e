#include "record/machine_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <vector>

#include "base/caches.hpp"
#include "base/cpus.hpp"
#include "base/file.hpp"
#include "events/format_term.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {
namespace {

using perfdata::Description;

// The KiB in a line such as "Node 0 MemTotal:  3979512 kB" of a node's meminfo; 0 without one.
std::uint64_t kib_of(const std::string& meminfo, const std::string& key) {
  const std::size_t at = meminfo.find(key + ":");
  unsigned long long kib = 0;
  if (at == std::string::npos) return 0;
  return std::sscanf(meminfo.c_str() + at + key.size() + 1, "%llu", &kib) == 1 ? kib : 0;
}

std::vector<Description::MemoryNode> memory_nodes(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/node/";
  std::vector<Description::MemoryNode> nodes;
  for (const int node : parse_cpu_list(first_line(folder + "online"))) {
    const std::string own = fmt::format("{}node{}/", folder, node);
    const std::string meminfo = read_file(own + "meminfo").value_or("");
    nodes.push_back({.node = static_cast<std::uint32_t>(node),
                     .total_kb = kib_of(meminfo, "MemTotal"),
                     .free_kb = kib_of(meminfo, "MemFree"),
                     .cpus = first_line(own + "cpulist")});
  }
  return nodes;
}

// perf describes sizes as sysfs does ("32K"), and a cache of unknown sharing cannot be described.
std::vector<Description::Cache> caches(const std::string& root, std::uint32_t cpus) {
  std::vector<Description::Cache> found;
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
    for (const SysfsCache& cache :
         sysfs_caches(fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu)))
      if (!cache.cpus.empty())
        found.push_back({.level = static_cast<std::uint32_t>(cache.level),
                         .line = static_cast<std::uint32_t>(cache.line),
                         .sets = static_cast<std::uint32_t>(cache.sets),
                         .ways = static_cast<std::uint32_t>(cache.ways),
                         .type = cache.type,
                         .size = fmt::format("{}K", cache.size / 1024),
                         .cpus = cache.cpus});
  std::ranges::sort(found);
  const auto again = std::ranges::unique(found);
  found.erase(again.begin(), again.end());
  return found;
}

std::vector<Description::PmuType> pmus(const std::string& root) {
  const std::string folder = root + "/sys/bus/event_source/devices";
  std::vector<Description::PmuType> found;
  for (const std::string& name : SysfsPmus(folder).names())
    if (const auto type = parse_number(first_line(fmt::format("{}/{}/type", folder, name))))
      found.push_back({static_cast<std::uint32_t>(*type), name});
  return found;
}

}  // namespace

void add_machine_details(Description& description, const std::string& root) {
  description.memory_nodes = memory_nodes(root);
  description.caches = caches(root, description.cpus_available.value_or(0));
  description.pmus = pmus(root);
}

}  // namespace tacho
