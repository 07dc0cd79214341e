#include "record/present_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/process_tree.hpp"
#include "pmu/targets.hpp"
#include "process/cgroups.hpp"

namespace tacho {
namespace {

std::vector<PresentThread> threads_of_processes(const std::vector<pid_t>& pids) {
  std::vector<PresentThread> threads;
  for (const pid_t pid : pids)
    for (const pid_t tid : threads_of(pid).value_or(std::vector<pid_t>()))
      threads.push_back({pid, tid});
  return threads;
}

}  // namespace

std::vector<PresentThread> present_threads(const AskedTargets& asked) {
  if (asked.are_a_command() || !has_own_proc()) return {};
  if (asked.tids.empty())
    return threads_of_processes(asked.pids.empty() ? all_processes() : asked.pids);
  std::vector<PresentThread> threads;
  for (const pid_t tid : asked.tids)
    threads.push_back({std::atoi(status_value(tid, "Tgid").c_str()), tid});
  std::ranges::stable_sort(threads, {}, &PresentThread::pid);
  return threads;
}

std::vector<PresentThread> followed_threads(const AskedTargets& asked, int cgroup,
                                            const std::vector<PresentThread>& present) {
  if (cgroup >= 0) return threads_of_processes(processes_in_cgroup(cgroup));
  return asked.cpus.empty() ? present : std::vector<PresentThread>();
}

std::vector<PresentThread> later_threads(const AskedTargets& asked,
                                         const std::vector<PresentThread>& present) {
  if (asked.pids.empty()) return {};
  std::vector<PresentThread> later = threads_of_processes(asked.pids);
  std::erase_if(later, [&](const PresentThread& each) {
    return std::ranges::find(present, each.tid, &PresentThread::tid) != present.end();
  });
  return later;
}

std::vector<PresentThread> runnable_ones(const std::vector<PresentThread>& threads) {
  std::vector<PresentThread> runnable;
  std::ranges::copy_if(threads, std::back_inserter(runnable),
                       [](const PresentThread& each) { return thread_state(each.tid) == 'R'; });
  return runnable;
}

}  // namespace tacho
