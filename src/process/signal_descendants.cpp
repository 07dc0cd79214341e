#include "process/signal_descendants.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/process_tree.hpp"

namespace tacho {
namespace {

pid_t parent_of(pid_t pid) {
  return std::atoi(status_value(pid, "PPid").c_str());
}

// Returns true if the process catches or ignores the signal. Returns false for this process: its
// new children are orphans of processes that the signal has ended.
bool outlives(pid_t pid, int signal) {
  if (pid == ::getpid()) return false;
  const auto mask = [pid](std::string_view name) {
    return std::strtoull(status_value(pid, name).c_str(), nullptr, 16);
  };
  return ((mask("SigCgt") | mask("SigIgn")) >> (signal - 1) & 1) != 0;
}

}  // namespace

void signal_descendants(pid_t child, int signal) {
  constexpr int kMostSweeps = 100;  // a bound for processes that fork as fast as they get signals
  const pid_t self = ::getpid();
  // Orphans of a process that the signal has ended become children of this process, and the next
  // sweep finds them.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::set<pid_t> seen{self};
  // A sweep can miss an orphan that gets its new parent during the sweep. So two successive sweeps
  // have to find nothing new.
  for (int sweep = 0, quiet = 0; quiet < 2 && sweep < kMostSweeps; ++sweep) {
    bool grown = false;
    for (const pid_t member : process_tree(self)) {
      if (!seen.insert(member).second) continue;
      grown = true;
      if (sweep == 0 || !outlives(parent_of(member), signal)) ::kill(member, signal);
    }
    quiet = grown ? 0 : quiet + 1;
  }
  if (!seen.contains(child)) ::kill(child, signal);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace tacho
