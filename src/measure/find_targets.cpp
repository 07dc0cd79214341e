#include "measure/find_targets.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "pmu/targets.hpp"

namespace tacho {
namespace {

// "4711 (worker)": a thread's number and its name.
std::string thread_name(pid_t pid, pid_t tid) {
  std::string name = read_file(fmt::format("/proc/{}/task/{}/comm", pid, tid)).value_or("");
  if (name.ends_with('\n')) name.pop_back();  // added by the kernel; a name may contain others
  return fmt::format("{} ({})", tid, name);
}

}  // namespace

bool counts_command(const MeasureRequest& request) {
  return !request.pid && !request.every_cpu;
}

Result<std::vector<NamedTarget>> find_targets(const MeasureRequest& request, pid_t launched) {
  if (counts_command(request)) return std::vector<NamedTarget>{{"", Launched{launched}}};
  if (!request.parted && request.pid) return std::vector<NamedTarget>{{"", Process{*request.pid}}};
  if (!request.parted) return std::vector<NamedTarget>{{"", EveryCpu{}}};
  std::vector<NamedTarget> targets;
  if (request.pid) {
    const auto threads = TACHO_TRY(threads_of(*request.pid));
    for (const pid_t tid : threads)
      targets.push_back({thread_name(*request.pid, tid), Thread{tid}});
  } else {
    const auto cpus = TACHO_TRY(places(EveryCpu{}));
    for (const Place& place : cpus)
      targets.push_back({fmt::format("CPU {}", place.cpu), OneCpu{place.cpu}});
  }
  return targets;
}

}  // namespace tacho
