#include "record/describe_recording.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/build_id.hpp"
#include "base/cpuinfo.hpp"
#include "base/file.hpp"

namespace tacho {
namespace {

using perfdata::BuildId;
using perfdata::Description;
using perfdata::Mode;

// The ID as perf writes it: on x86 "GenuineIntel,6,143,8", on arm64 the register MIDR_EL1.
std::string cpu_id(const std::string& cpuinfo, const std::string& root) {
  const auto value = [&](std::string_view key) { return cpuinfo_value(cpuinfo, {key}); };
  if (const std::string vendor = value("vendor_id"); !vendor.empty())
    return fmt::format("{},{},{},{}", vendor, value("cpu family"), value("model\t"),
                       value("stepping"));
  return first_line(root + "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
}

std::uint64_t memory_kb(const std::string& root) {
  unsigned long long kb = 0;
  return std::sscanf(first_line(root + "/proc/meminfo").c_str(), "MemTotal: %llu", &kb) == 1 ? kb
                                                                                             : 0;
}

Description::Topology topology(const std::string& root, std::uint32_t cpus) {
  Description::Topology topology;
  std::set<std::string> cores;
  std::set<std::string> threads;
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
    const std::string folder = fmt::format("{}/sys/devices/system/cpu/cpu{}/topology/", root, cpu);
    const auto number = [&](const char* file) {
      unsigned value = 0;
      static_cast<void>(std::sscanf(first_line(folder + file).c_str(), "%u", &value));
      return value;
    };
    const std::string core = first_line(folder + "core_siblings_list");
    if (core.empty()) return {};  // the kernel has no topology, or this CPU is offline
    cores.insert(core);
    threads.insert(first_line(folder + "thread_siblings_list"));
    topology.places.push_back({number("core_id"), number("physical_package_id")});
  }
  topology.cores.assign(cores.begin(), cores.end());
  topology.threads.assign(threads.begin(), threads.end());
  return topology;
}

std::vector<Description::BuildIdOf> build_ids(const perfdata::Inventory& inventory,
                                              const std::string& root) {
  std::vector<Description::BuildIdOf> ids;
  if (const BuildId kernel = perfdata::build_id_of(kernel_build_id(root)); kernel.size > 0)
    ids.push_back({.mode = Mode::kernel, .id = kernel, .path = std::string(perfdata::kKernelPath)});
  for (const auto& file : inventory.files())
    if (file.id.size > 0) ids.push_back({.id = file.id, .path = file.path});
  return ids;
}

}  // namespace

std::vector<perfdata::WrittenEvent> written_events(std::span<const OpenedEvent> opened) {
  std::vector<perfdata::WrittenEvent> events;
  for (const OpenedEvent& event : opened)
    events.push_back({event.name, event.attributes, event.ids});
  return events;
}

Description describe_recording(const std::vector<std::string>& command,
                               const perfdata::Inventory& inventory, const std::string& root) {
  utsname name{};
  ::uname(&name);
  const std::string cpuinfo = cpuinfo_text(root);
  Description description;
  description.host = name.nodename;
  description.kernel = name.release;
  description.architecture = name.machine;
  description.perf_version = "tacho";
  description.cpu = processor_name(root);
  description.cpu_id = cpu_id(cpuinfo, root);
  description.cpus_available = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_CONF));
  description.cpus_online = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  description.memory_kb = memory_kb(root);
  description.command = command;
  description.topology = topology(root, *description.cpus_available);
  description.build_ids = build_ids(inventory, root);
  description.first_sample_ns = inventory.first_sample_ns();
  description.last_sample_ns = inventory.last_sample_ns();
  return description;
}

}  // namespace tacho
