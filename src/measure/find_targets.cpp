#include "measure/find_targets.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/cpu_topology.hpp"
#include "base/cpus.hpp"
#include "base/file.hpp"
#include "base/parse_number.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

// "4711 (worker)": a thread's number and its name.
std::string thread_name(pid_t pid, pid_t tid) {
  std::string name = read_file(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("");
  if (name.ends_with('\n')) name.pop_back();  // added by the kernel; a name may contain others
  return fmt::format("{} ({})", tid, name);
}

using Targets = std::vector<NamedTarget>;

// One thread, or all of them together.
Result<Targets> targets_of_threads(const MeasureRequest& request) {
  if (!request.per_thread)
    return Targets{{.name = {},
                    .target = Thread{request.targets.tids.front(),
                                     {request.targets.tids.begin() + 1, request.targets.tids.end()},
                                     request.alone}}};
  Targets targets;
  for (const pid_t tid : request.targets.tids)
    targets.push_back({.name = thread_name(tid, tid), .target = Thread{tid, {}, request.alone}});
  return targets;
}

Result<Targets> targets_of_processes(const MeasureRequest& request) {
  const std::vector<pid_t>& pids = request.targets.pids;
  if (!request.per_thread)
    return Targets{
        {.name = {},
         .target = Process{pids.front(), {pids.begin() + 1, pids.end()}, request.alone}}};
  Targets targets;
  for (const pid_t pid : pids) {
    const auto threads = TACHO_TRY(threads_of(pid));
    for (const pid_t tid : threads)
      targets.push_back({.name = thread_name(pid, tid), .target = Thread{tid, {}, request.alone}});
  }
  return targets;
}

// Of the machine. The command that waits for its exec has its name already.
Targets targets_of_all_threads(const MeasureRequest& request, pid_t launched) {
  const std::string command =
      request.launch.argv.empty()
          ? ""
          : std::filesystem::path(request.launch.argv.front()).filename().string();
  Targets targets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto pid = parse_number<pid_t>(entry.path().filename().native());
    if (!pid) continue;
    const auto threads = threads_of(*pid);
    if (!threads) continue;  // it has ended
    for (const pid_t tid : *threads)
      targets.push_back(
          {.name = tid == launched ? fmt::format("{} ({})", tid, command) : thread_name(*pid, tid),
           .target = Thread{tid, {}, request.alone}});
  }
  return targets;
}

Result<Targets> targets_of_cpus(const MeasureRequest& request) {
  if (!request.per && request.targets.cpus.empty())
    return Targets{{.name = {}, .target = EveryCpu{}}};
  if (!request.per) return Targets{{.name = {}, .target = SomeCpus{request.targets.cpus}}};
  std::vector<int> cpus = request.targets.cpus;
  if (cpus.empty()) {
    const auto online = TACHO_TRY(places(EveryCpu{}));
    for (const Place& place : online) cpus.push_back(place.cpu);
  }
  Targets targets;
  for (const CpusOfPart& part : parts_of_cpus(cpus, *request.per)) {
    const bool of_one_kind = *request.per == CpuPart::cpu || *request.per == CpuPart::core;
    targets.push_back({.name = part.name,
                       .cpus = part.cpus,
                       .of_one_kind = of_one_kind,
                       .target = SomeCpus{part.cpus}});
  }
  return targets;
}

}  // namespace

Result<std::vector<NamedTarget>> find_targets(const MeasureRequest& request, pid_t launched) {
  if (!request.targets.tids.empty()) return targets_of_threads(request);
  if (!request.targets.pids.empty()) return targets_of_processes(request);
  if (request.counts_cpus()) return targets_of_cpus(request);
  if (request.targets.are_cpus()) return targets_of_all_threads(request, launched);
  Targets targets;
  for (const NamedCgroup& group : request.cgroups)
    targets.push_back(
        {.name = group.name, .in_another = group.in_another, .target = Cgroup{group.directory}});
  if (targets.empty()) targets.push_back({.name = {}, .target = Launched{launched, request.alone}});
  return targets;
}

}  // namespace tacho
