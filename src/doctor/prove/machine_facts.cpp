#include "doctor/prove/machine_facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "base/cpuinfo.hpp"
#include "base/cpus.hpp"
#include "base/file.hpp"
#include "events/sysfs_pmu.hpp"

namespace tacho::prove {
namespace {

constexpr auto kSysctls = std::to_array<std::string_view>(
    {"perf_event_paranoid", "perf_event_max_sample_rate", "perf_cpu_time_max_percent",
     "perf_event_mlock_kb", "nmi_watchdog", "perf_user_access"});

// What tells a kind of core: ARM's Main ID Register, or x86's family, model and stepping.
std::string core_id(int cpu, const std::string& cpuinfo) {
  std::string midr =
      first_line(fmt::format("/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1", cpu));
  if (!midr.empty()) return midr;
  const std::string implementer = cpuinfo_value(cpuinfo, {"CPU implementer"});
  if (!implementer.empty())
    return fmt::format("{}-{}-{}", implementer, cpuinfo_value(cpuinfo, {"CPU part"}),
                       cpuinfo_value(cpuinfo, {"CPU revision"}));
  return fmt::format("{}-{}-{}-{}", cpuinfo_value(cpuinfo, {"vendor_id"}),
                     cpuinfo_value(cpuinfo, {"cpu family"}), cpuinfo_value(cpuinfo, {"model"}),
                     cpuinfo_value(cpuinfo, {"stepping"}));
}

Json core_pmus(const Catalogue& catalogue, const std::string& online) {
  Json pmus = Json::array();
  const std::string cpuinfo = cpuinfo_text();
  for (const CorePmu& core : SysfsPmus(catalogue.roots().sysfs).cores()) {
    const std::vector<int> cpus = parse_cpu_list(core.cpus.empty() ? online : core.cpus);
    Json pmu;
    pmu["name"] = core.name;
    pmu["type"] = core.type;
    pmu["cpus"] = cpu_list_text(cpus);
    pmu["pmu_name"] = json_text(
        first_line(fmt::format("{}/{}/caps/pmu_name", catalogue.roots().sysfs, core.name)));
    pmu["core_id"] = cpus.empty() ? Json() : Json(core_id(cpus.front(), cpuinfo));
    pmus.push_back(std::move(pmu));
  }
  return pmus;
}

}  // namespace

Json machine_facts(const Catalogue& catalogue) {
  utsname system{};
  ::uname(&system);
  const std::string online = first_line("/sys/devices/system/cpu/online");
  Json facts;
  facts["kernel"] = std::string(system.release);
  facts["architecture"] = std::string(system.machine);
  facts["cpu"] = json_text(processor_name());
  facts["cpus_online"] = json_text(online);
  facts["core_pmus"] = core_pmus(catalogue, online);
  Json sysctls = Json::object();
  for (const std::string_view name : kSysctls) {
    const std::string value = first_line(fmt::format("/proc/sys/kernel/{}", name));
    if (!value.empty()) sysctls[std::string(name)] = value;
  }
  facts["sysctls"] = std::move(sysctls);
  return facts;
}

}  // namespace tacho::prove
