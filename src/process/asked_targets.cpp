#include "process/asked_targets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpus.hpp"
#include "process/check_process.hpp"

namespace tacho {
namespace {

Result<void> check_no_double(const char* option, const char* what, std::vector<pid_t> ids) {
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice == ids.end()) return {};
  return failure(fmt::format("{} has {} {} twice", option, what, *twice),
                 fmt::format("give each {} once", what));
}

Result<void> check_online(const std::vector<int>& cpus) {
  const std::vector<int> online = online_cpus();
  for (const int cpu : cpus)
    if (std::ranges::find(online, cpu) == online.end())
      return failure(fmt::format("CPU {} is not online", cpu),
                     fmt::format("these are: {}", cpu_list_text(online)));
  return {};
}

}  // namespace

Result<void> check(const AskedTargets& targets) {
  if (targets.kinds() > 1)
    return failure("-p, -t, -a and -C exclude each other", "give one of them");
  TACHO_TRY(check_no_double("-p", "process", targets.pids));
  TACHO_TRY(check_no_double("-t", "thread", targets.tids));
  TACHO_TRY(check_no_double("-C", "CPU", targets.cpus));
  for (const pid_t pid : targets.pids) TACHO_TRY(check_process(pid));
  for (const pid_t tid : targets.tids) TACHO_TRY(check_thread(tid));
  return check_online(targets.cpus);
}

}  // namespace tacho
