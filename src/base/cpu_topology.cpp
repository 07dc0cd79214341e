#include "base/cpu_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"

namespace tacho {
namespace {

std::string folder_of(int cpu, const std::string& root) {
  return fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu);
}

std::string topology(int cpu, const char* name, const std::string& root) {
  const std::string number = first_line(fmt::format("{}/topology/{}", folder_of(cpu, root), name));
  return number.empty() ? "-1" : number;
}

// The folder of a CPU has a link to that of its node.
std::string node_of(int cpu, const std::string& root) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(cpu, root), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node") && name.size() > 4) return name.substr(4);
  }
  return "0";
}

std::string name_of(int cpu, CpuPart part, const std::string& root) {
  switch (part) {
    case CpuPart::cpu:
      break;
    case CpuPart::core:
      return fmt::format("S{}-D{}-C{}", topology(cpu, "physical_package_id", root),
                         topology(cpu, "die_id", root), topology(cpu, "core_id", root));
    case CpuPart::die:
      return fmt::format("S{}-D{}", topology(cpu, "physical_package_id", root),
                         topology(cpu, "die_id", root));
    case CpuPart::socket:
      return fmt::format("S{}", topology(cpu, "physical_package_id", root));
    case CpuPart::node:
      return fmt::format("N{}", node_of(cpu, root));
  }
  return fmt::format("CPU {}", cpu);
}

}  // namespace

std::vector<CpusOfPart> parts_of_cpus(const std::vector<int>& cpus, CpuPart part,
                                      const std::string& root) {
  std::vector<CpusOfPart> parts;
  for (const int cpu : cpus) {
    std::string name = name_of(cpu, part, root);
    const auto known = std::ranges::find(parts, name, &CpusOfPart::name);
    if (known != parts.end())
      known->cpus.push_back(cpu);
    else
      parts.push_back({std::move(name), {cpu}});
  }
  return parts;
}

}  // namespace tacho
