#include "pmu/perf/core_pmu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/file.hpp"
#include "events/catalogue.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho {
namespace {

std::string find_core_pmus() {
  const std::string devices = CatalogueRoots().sysfs;
  std::vector<std::string> names;
  for (const CorePmu& core : SysfsPmus(devices).cores()) {
    const std::string model = first_line(fmt::format("{}/{}/caps/pmu_name", devices, core.name));
    names.push_back(model.empty() ? core.name : fmt::format("{} ({})", core.name, model));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string core_pmu_name() {
  static const std::string name = find_core_pmus();  // kept: each refused event calls this
  return name;
}

}  // namespace tacho
