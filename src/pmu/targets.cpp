#include "pmu/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/cpus.hpp"

namespace tacho {
namespace {

Result<std::vector<Place>> on_cpus(const std::vector<int>& cpus) {
  std::vector<Place> result;
  for (const int cpu : cpus) result.push_back({-1, cpu});
  return result;
}

struct Expand {
  Result<std::vector<Place>> operator()(Self) const { return std::vector<Place>{{0, -1}}; }
  Result<std::vector<Place>> operator()(Launched t) const {
    return std::vector<Place>{{t.pid, -1}};
  }
  Result<std::vector<Place>> operator()(const Thread& t) const {
    std::vector<Place> result{{t.tid, -1}};
    for (const pid_t tid : t.more) result.push_back({tid, -1});
    return result;
  }
  Result<std::vector<Place>> operator()(const Process& t) const {
    std::vector<pid_t> processes{t.pid};
    processes.insert(processes.end(), t.more.begin(), t.more.end());
    std::vector<Place> result;
    for (const pid_t process : processes) {
      const auto threads = TACHO_TRY(threads_of(process));
      for (const pid_t tid : threads) result.push_back({tid, -1});
    }
    return result;
  }
  Result<std::vector<Place>> operator()(EveryCpu) const {
    const std::vector<int> online = online_cpus();
    if (!online.empty()) return on_cpus(online);
    return failure(
        "cannot tell which CPUs are online: /sys/devices/system/cpu/online is unreadable",
        "mount sysfs at /sys");
  }
  Result<std::vector<Place>> operator()(const SomeCpus& t) const { return on_cpus(t.cpus); }
  Result<std::vector<Place>> operator()(Cgroup t) const {
    std::vector<Place> result = TACHO_TRY((*this)(EveryCpu{}));
    for (Place& place : result) place.pid = t.directory;
    return result;
  }
};

}  // namespace

Result<std::vector<Place>> places(const Target& target) {
  return std::visit(Expand{}, target);
}

Result<std::vector<Place>> places(const Target& target, const Event& event) {
  const bool on_each = is_of_cpus(target) || std::holds_alternative<Cgroup>(target);
  if (event.cpus.empty() || !on_each) return places(target);
  if (event.core_pmu.empty()) {
    if (std::holds_alternative<EveryCpu>(target)) return on_cpus(parse_cpu_list(event.cpus));
    return failure(fmt::format("its PMU counts for several CPUs at once, on CPU {} for all of them",
                               event.cpus),
                   "count every CPU (-a), and leave out -C, --cgroup and tables of CPUs");
  }
  std::vector<Place> result = TACHO_TRY(places(target));
  std::erase_if(result, [&](const Place& place) { return !counts_on(event, place.cpu); });
  if (!result.empty()) return result;
  if (const SomeCpus* some = std::get_if<SomeCpus>(&target))
    return failure(
        fmt::format("not counted on {}: {} has {}", cpus_in_words(cpu_list_text(some->cpus)),
                    event.core_pmu, cpus_in_words(event.cpus)),
        "leave out --per-cpu (-A)", ENOENT);
  return failure(fmt::format("none of the CPUs of {} ({}) is online", event.core_pmu,
                             cpus_in_words(event.cpus)),
                 "bring one online, or count another PMU's event", ENOENT);
}

bool is_of_cpus(const Target& target) {
  return std::holds_alternative<EveryCpu>(target) || std::holds_alternative<SomeCpus>(target);
}

bool counts_on(const Event& event, int cpu) {
  if (event.core_pmu.empty() || event.cpus.empty()) return true;
  const std::vector<int> cpus = parse_cpu_list(event.cpus);
  return std::ranges::find(cpus, cpu) != cpus.end();
}

Result<std::vector<pid_t>> threads_of(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator entries(fmt::format("/proc/{}/task", pid), error);
  if (error && !std::filesystem::exists("/proc/self"))
    return failure(fmt::format("cannot watch process {}: /proc is not mounted", pid),
                   "mount -t proc proc /proc", error.value());
  if (error)
    return os_failure(fmt::format("cannot watch process {}", pid),
                      error.value() == ENOENT ? ESRCH : error.value(),
                      "give the pid of a running process; 'ps' lists them");
  std::vector<pid_t> threads;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
    threads.push_back(std::atoi(entries->path().filename().c_str()));
  std::ranges::sort(threads);
  return threads;
}

}  // namespace tacho
