#include "pmu/perf/unequal_cores.hpp"

#include <algorithm>
#include <cerrno>

#include "base/file.hpp"
#include "base/published.hpp"
#include "events/abi.hpp"
#include "events/catalogue.hpp"
#include "events/core_parts.hpp"
#include "events/generic_names.hpp"
#include "pmu/perf/core_pmu.hpp"
#include "pmu/perf/perf_open.hpp"

namespace tacho {
namespace {

const SysfsPmus& pmus() {
  static constinit Published<const SysfsPmus> all;
  return all.get([] { return SysfsPmus(CatalogueRoots().sysfs); });
}

std::vector<CorePmu> find_unequal_cores() {
  const std::string online = first_line("/sys/devices/system/cpu/online");
  if (!are_unequal(core_pmus(), online)) return {};
  std::vector<CorePmu> cores;
  for (const CorePmu& core : core_pmus())
    if (has_online_cpu(core, online)) cores.push_back(core);
  return cores;
}

// How this kernel takes generic events of one core PMU. Opening is the only way to find out. It
// needs no CPU of the PMU.
GenericBy find_generic_by() {
  Event cycles = generic_event("cycles").value_or(Event());
  cycles.name = "cycles";
  cycles = on_core(cycles, unequal_cores().front(), GenericBy::pmu_type, pmus());
  cycles.exclude_kernel = true;  // permitted to more users
  const auto opened = perf_open(cycles, {});
  const bool refused = !opened && (opened.error().code == ENOENT || opened.error().code == EINVAL);
  return refused ? GenericBy::own_name : GenericBy::pmu_type;
}

GenericBy generic_by() {
  static constinit Published<const GenericBy> by;
  return by.get(find_generic_by);
}

}  // namespace

std::span<const CorePmu> unequal_cores() {
  static constinit Published<const std::vector<CorePmu>> cores;
  return cores.get(find_unequal_cores);
}

std::vector<Event> parts_here(const Event& event) {
  if (event.domain != Domain::core || unequal_cores().empty()) return {event};
  return parts_of(event, unequal_cores(), generic_by(), pmus());
}

Event encoded_here(const Event& event) {
  const bool generic = event.type == abi::kHardware || event.type == abi::kCache;
  const std::uint64_t type = generic ? event.config >> abi::kPmuTypeShift : 0;
  const auto cores = unequal_cores();
  const auto core = std::ranges::find(cores, type, &CorePmu::type);
  if (type == 0 || core == cores.end()) return event;
  Event encoded = on_core(event, *core, generic_by(), pmus());
  encoded.name = event.name;
  return encoded;
}

}  // namespace tacho
