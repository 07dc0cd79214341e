#include "chase/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>

#include "base/caches.hpp"
#include "base/cpus.hpp"
#include "base/file.hpp"

namespace tacho::chase {

std::vector<AdvertisedCache> advertised_caches(int cpu, const std::string& root) {
  std::vector<AdvertisedCache> caches;
  for (const ToldCache& told :
       told_caches(fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu)))
    if ((told.type == "Data" || told.type == "Unified") && told.size != 0)
      caches.push_back({static_cast<unsigned>(told.level), told.size,
                        static_cast<unsigned>(told.ways), static_cast<unsigned>(told.line)});
  std::ranges::sort(caches, {}, &AdvertisedCache::level);
  return caches;
}

std::vector<int> allowed_cpus() {
  return tacho::allowed_cpus(0).value_or(std::vector<int>());
}

Result<void> keep_to(int cpu) {
  const std::vector<int> allowed = allowed_cpus();
  const int code = keep_to_cpu(0, cpu);
  if (code == 0) return {};
  const std::string remedy = fmt::format("choose one of {}", fmt::join(allowed, ", "));
  if (code == EINVAL)
    return failure(
        fmt::format("CPU {} is not there, is offline, or is not for this process to use", cpu),
        remedy, code);
  return os_failure(fmt::format("cannot stay on CPU {}", cpu), code, remedy);
}

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
