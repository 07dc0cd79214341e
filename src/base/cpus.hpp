// CPU numbers and CPU affinity: reads the kernel's lists of CPUs, and reads and sets the CPUs that
// a thread may run on.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho {

// Returns the numbers of a list such as "0-3,8". Empty if the text is not a list, or if a number is
// 65,536 or more.
std::vector<int> parse_cpu_list(std::string_view text);

// The reverse: "0-3,8". The numbers are in order.
std::string cpu_list_text(const std::vector<int>& cpus);

// "CPU 3", "CPUs 0-3,8": a list as the kernel writes it, in words.
std::string cpus_in_words(std::string_view list);

// Returns the CPUs that a process or thread may run on; pid 0 is the calling thread. The error's
// code is ESRCH if the thread has ended.
Result<std::vector<int>> allowed_cpus(pid_t pid);

// Binds a process or thread to one CPU. Returns 0 or errno; the caller words the error.
int keep_to_cpu(pid_t pid, int cpu);

// Binds a process or thread to these CPUs; all CPUs if the list is empty. Returns 0 or errno.
int keep_to_cpus(pid_t pid, std::span<const int> cpus);

// The CPUs that are online; empty if sysfs does not say.
std::vector<int> online_cpus();

// The CPUs that the calling thread may run on; empty if the kernel does not say.
std::vector<int> allowed_cpus();

// Keeps the calling thread to one CPU. The error names the CPUs that it may use.
Result<void> keep_to_cpu(int cpu);

// At the end of its life, the calling thread may run again on the CPUs on which it could run at the
// beginning.
class RestoredAffinity {
 public:
  RestoredAffinity() : before_(allowed_cpus()) {}
  ~RestoredAffinity();
  RestoredAffinity(const RestoredAffinity&) = delete;
  RestoredAffinity& operator=(const RestoredAffinity&) = delete;

  const std::vector<int>& before() const { return before_; }

 private:
  std::vector<int> before_;
};

}  // namespace tacho
