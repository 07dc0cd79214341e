#include "pmu/perf_open.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/file.hpp"
#include "pmu/core_pmu.hpp"

namespace tacho {
namespace {

perf_event_attr attributes(const Event& event, const PerfOpen& how) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.config1 = event.config1;
  attr.config2 = event.config2;
#ifdef PERF_ATTR_SIZE_VER8
  attr.config3 = event.config3;
#endif
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.inherit = how.inherit && how.pid != -1;
  // Siblings are opened enabled: a set is turned through its leader alone. Toggling the whole
  // group loses the time of software siblings under a task-clock leader.
  const bool leads = how.leader < 0;
  attr.disabled = leads;
  if (leads || how.reads_group) attr.read_format |= PERF_FORMAT_GROUP;
  attr.enable_on_exec = leads && how.start == Start::at_exec;
  attr.pinned = leads && event.pinned;
  attr.exclude_user = event.exclude_user;
  attr.exclude_kernel = event.exclude_kernel;
  attr.exclude_hv = event.exclude_hv;
  attr.exclude_idle = event.exclude_idle;
  attr.exclude_host = event.exclude_host;
  attr.exclude_guest = event.exclude_guest;
  attr.precise_ip = event.precise & 3U;
  return attr;
}

struct Meaning {
  std::string cause;
  std::string remedy;
};

// The highest kernel.perf_event_paranoid that lets users without privileges count this. (Level 3
// and above is a Debian and Android addition: nothing at all.)
int level_needed(const Event& event, const PerfOpen& how) {
  if (event.type == PERF_TYPE_TRACEPOINT) return -1;
  if (how.pid == -1) return 0;
  return event.exclude_kernel ? 2 : 1;
}

Meaning forbidden(const Event& event, const PerfOpen& how) {
  const int paranoid = perf_event_paranoid();
  const int needed = level_needed(event, how);
  if (paranoid > needed)
    return {fmt::format("forbidden by kernel.perf_event_paranoid = {}", paranoid),
            fmt::format("sudo sysctl kernel.perf_event_paranoid={}, or run tacho as root or with "
                        "CAP_PERFMON",
                        needed)};
  if (how.pid > 0)
    return {"this user may not watch the process",
            "run tacho as the owner of the process, as root or with CAP_PERFMON"};
  return {"forbidden by a security policy of this system", "run tacho as root or with CAP_PERFMON"};
}

Meaning meaning(const Event& event, const PerfOpen& how, int code) {
  const bool core = event.domain == Domain::core;
  switch (code) {
    case ENOENT:
    case ENXIO:
      if (core && core_pmu_name().empty())
        return {"this machine has no hardware PMU (a virtual machine often has none)",
                "run on bare metal, or enable the virtual PMU in the hypervisor"};
      return {"this PMU does not have the event", "'tacho list' shows what opens here"};
    case EACCES:
      return forbidden(event, how);
    case EPERM:
      if (how.pid > 0)
        return {"not allowed to watch this process, or a sandbox forbids perf_event_open",
                "run tacho as the owner of the process, as root or with CAP_PERFMON"};
      return {"perf_event_open is forbidden here (a container's seccomp filter does that)",
              "allow perf_event_open in the container, for example with --cap-add PERFMON"};
    case EINVAL:
      if (!event.cpus.empty() && how.pid != -1)
        return {"this PMU counts CPUs, not processes", "count every CPU: -a"};
      if (how.leader >= 0)
        return {"it does not fit into one set with the others",
                "ask for fewer events in one group"};
      return {"the kernel refuses these settings", "check the event's fields and modifiers"};
    case EMFILE: {
      rlimit limit{};
      ::getrlimit(RLIMIT_NOFILE, &limit);
      return {fmt::format("too many open files (the limit is {})", limit.rlim_cur),
              "raise it with 'ulimit -n', or ask for fewer events"};
    }
    case ENFILE:
      return {"too many open files in the whole system", "ask for fewer events"};
    case ENOSPC:
    case E2BIG:
      return {"too many events for this PMU", "ask for fewer events"};
    case EBUSY:
      return {"someone else holds the PMU for themselves", "end the other user of the PMU"};
    case EOPNOTSUPP:
      return {"the PMU can't count this way (modifiers or precision)", "leave the modifiers out"};
    case ENODEV:
      return {"the PMU is not on this CPU", "choose a CPU that the PMU serves"};
    case ESRCH:
      return {"the process has ended", "give the pid of a running process"};
    case ENOSYS:
      return {"this kernel was built without perf events, or an emulator does not pass them on",
              "use a kernel with CONFIG_PERF_EVENTS"};
    default:
      return {"perf_event_open failed", ""};
  }
}

}  // namespace

int perf_event_paranoid() {
  const std::string text = first_line("/proc/sys/kernel/perf_event_paranoid");
  return text.empty() ? -1 : std::atoi(text.c_str());
}

Result<Fd> perf_open(const Event& event, const PerfOpen& how) {
  perf_event_attr attr = attributes(event, how);
  const long fd =
      ::syscall(SYS_perf_event_open, &attr, how.pid, how.cpu, how.leader, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) return Fd(static_cast<int>(fd));
  const int code = errno;
  Meaning why = meaning(event, how, code);
  const char* name = ::strerrorname_np(code);
  return failure(fmt::format("{} ({})", why.cause, name != nullptr ? name : "?"), why.remedy, code);
}

}  // namespace tacho
