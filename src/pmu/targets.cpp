#include "pmu/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/cpus.hpp"
#include "base/file.hpp"

namespace tacho {
namespace {

struct Expand {
  std::string_view cpus;

  Result<std::vector<Place>> operator()(Self) const { return std::vector<Place>{{0, -1}}; }
  Result<std::vector<Place>> operator()(Launched t) const {
    return std::vector<Place>{{t.pid, -1}};
  }
  Result<std::vector<Place>> operator()(Thread t) const { return std::vector<Place>{{t.tid, -1}}; }
  Result<std::vector<Place>> operator()(Process t) const {
    const auto threads = TACHO_TRY(threads_of(t.pid));
    std::vector<Place> result;
    for (const pid_t tid : threads) result.push_back({tid, -1});
    return result;
  }
  Result<std::vector<Place>> operator()(EveryCpu) const {
    const std::string online = first_line("/sys/devices/system/cpu/online");
    const std::vector<int> numbers = parse_cpu_list(cpus.empty() ? std::string_view(online) : cpus);
    if (numbers.empty())
      return failure(
          "cannot tell which CPUs are online: /sys/devices/system/cpu/online is unreadable",
          "mount sysfs at /sys");
    std::vector<Place> result;
    for (const int cpu : numbers) result.push_back({-1, cpu});
    return result;
  }
  Result<std::vector<Place>> operator()(OneCpu t) const {
    if (cpus.empty()) return std::vector<Place>{{-1, t.cpu}};
    return failure(
        fmt::format("its PMU counts for several CPUs at once, on CPU {} for all of them", cpus),
        "leave out --per-cpu");
  }
};

}  // namespace

Result<std::vector<Place>> places(const Target& target, std::string_view cpus) {
  return std::visit(Expand{cpus}, target);
}

Result<std::vector<pid_t>> threads_of(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator entries(fmt::format("/proc/{}/task", pid), error);
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
