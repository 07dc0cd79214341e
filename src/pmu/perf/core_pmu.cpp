#include "pmu/perf/core_pmu.hpp"

#include "base/file.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {
namespace {

std::string find_core_pmu() {
  const std::string devices = "/sys/bus/event_source/devices/";
  std::string found;
  for (const std::string& name : directory_names(devices))
    if (is_core_pmu(devices + name) && (found.empty() || name == "cpu_core")) found = name;
  if (found.empty()) return found;
  const std::string model = first_line(devices + found + "/caps/pmu_name");
  return model.empty() ? found : found + " (" + model + ")";
}

}  // namespace

std::string core_pmu_name() {
  static const std::string name = find_core_pmu();  // kept: each refused event calls this
  return name;
}

}  // namespace tacho
