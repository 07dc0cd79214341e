#include "pmu/perf/cpu_watch.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/cpus.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

Event idle_event() {
  Event event;
  event.domain = Domain::software;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_CPU_CLOCK;
  return event;
}

}  // namespace

CpuWatch::CpuWatch(const std::string& online)
    : list_(::open(online.c_str(), O_RDONLY | O_CLOEXEC)) {
  for (const int cpu : listed()) watched_[cpu];
  guard();
}

std::vector<CpuChange> CpuWatch::look() {
  const std::vector<int> now = listed();
  if (now.empty()) return {};
  std::map<int, CpuChange> changes;
  for (const auto& [cpu, sentinel] : watched_)
    if (sentinel.was_split() || !std::ranges::binary_search(now, cpu))
      changes[cpu] = {.cpu = cpu, .was_online = true, .is_online = false};
  for (const auto& [cpu, change] : changes) watched_.erase(cpu);
  for (const int cpu : now) {
    if (!watched_.try_emplace(cpu).second) continue;
    CpuChange& change = changes[cpu];
    change.cpu = cpu;
    change.is_online = true;
  }
  std::vector<CpuChange> result;
  for (const auto& [cpu, change] : changes) result.push_back(change);
  return result;
}

void CpuWatch::guard() {
  const Event idle = idle_event();
  for (auto at = watched_.begin(); at != watched_.end();) {
    auto& [cpu, sentinel] = *at++;
    if (sentinel.sibling) continue;
    auto leader = perf_open(idle, {.pid = -1, .cpu = cpu});
    // The CPU is listed, but has no perf events now. A later look finds it.
    if (!leader && leader.error().code == ENODEV) watched_.erase(cpu);
    if (!leader) continue;
    auto sibling =
        perf_open(idle, {.pid = -1, .cpu = cpu, .leader = leader->get(), .reads_group = true});
    if (sibling) sentinel = {std::move(*leader), std::move(*sibling)};
  }
}

// Reads the sibling: { nr, time_enabled, time_running, value[nr] }. Its nr is no longer 2,
// whichever of the two events the kernel removes first. A leader that is removed first keeps its
// nr.
bool CpuWatch::Sentinel::was_split() const {
  std::array<std::uint64_t, 5> pair{2};
  return sibling && ::read(sibling.get(), pair.data(), sizeof pair) > 0 && pair[0] != 2;
}

std::vector<int> CpuWatch::listed() const {
  std::array<char, 4096> text{};  // the greatest size of a sysfs file
  const ssize_t got = ::pread(list_.get(), text.data(), text.size(), 0);
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return parse_cpu_list(line.substr(0, line.find('\n')));
}

}  // namespace tacho
