#include "pmu/perf/core_pmu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/file.hpp"
#include "base/published.hpp"
#include "events/catalogue.hpp"

namespace tacho {
namespace {

// All core PMUs if `pmus` is null.
std::string names_of_cores(const std::set<std::string>* pmus) {
  std::vector<std::string> names;
  for (const CorePmu& core : core_pmus()) {
    if (pmus != nullptr && !pmus->contains(core.name)) continue;
    const std::string model =
        first_line(fmt::format("{}/{}/caps/pmu_name", CatalogueRoots().sysfs, core.name));
    names.push_back(model.empty() ? core.name : fmt::format("{} ({})", core.name, model));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::span<const CorePmu> core_pmus() {
  static constinit Published<const std::vector<CorePmu>> found;
  return found.get([] { return SysfsPmus(CatalogueRoots().sysfs).cores(); });
}

std::string core_pmu_name() {
  return names_of_cores(nullptr);
}

std::string core_pmu_name(const std::set<std::string>& pmus) {
  return names_of_cores(&pmus);
}

}  // namespace tacho
