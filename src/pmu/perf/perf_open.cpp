#include "pmu/perf/perf_open.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>

#include "base/file.hpp"
#include "pmu/perf/call_observer.hpp"
#include "pmu/perf/core_pmu.hpp"

namespace tacho {
namespace {

// Bits of config1 that request user access to the counter. arm64 has the format's field rdpmc
// (drivers/perf/arm_pmuv3.c); x86 needs no request.
#if defined(__aarch64__)
constexpr std::uint64_t kUserAccess = 2;
#else
constexpr std::uint64_t kUserAccess = 0;
#endif

// The registers that unwinding needs: the general-purpose registers, the stack pointer and the
// instruction pointer (arch/*/include/uapi/asm/perf_regs.h).
#if defined(__x86_64__)
constexpr std::uint64_t kUserRegisters = 0xff0fff;
#elif defined(__aarch64__)
constexpr std::uint64_t kUserRegisters = 0x1ffffffff;
#else
constexpr std::uint64_t kUserRegisters = 0xffff;
#endif

// kernel.perf_event_max_stack: the most addresses of a call chain. It is written into the event, so
// that a reader of the recording knows where chains were cut; 0 means the same and tells nothing.
std::uint16_t highest_stack() {
  static const std::uint16_t most = [] {
    const std::string line = first_line("/proc/sys/kernel/perf_event_max_stack");
    const std::uint64_t found = std::strtoull(line.c_str(), nullptr, 10);
    return found <= std::numeric_limits<std::uint16_t>::max() ? static_cast<std::uint16_t>(found)
                                                              : std::uint16_t{0};
  }();
  return most;
}

// A function without a frame of its own, such as most that call nothing, hides its caller from the
// kernel, which follows frame pointers. Its return address is at the top of the stack, or on ARM in
// the link register (as perf records it there, too).
void add_return_address(perf_event_attr& attr) {
#if defined(__x86_64__)
  constexpr std::uint32_t kTopOfStack = 128;  // bytes: enough for most functions without a frame
  attr.sample_type |= PERF_SAMPLE_STACK_USER;
  attr.sample_stack_user = kTopOfStack;
#elif defined(__aarch64__)
  constexpr unsigned kLinkRegister = 30;
  attr.sample_type |= PERF_SAMPLE_REGS_USER;
  attr.sample_regs_user = std::uint64_t{1} << kLinkRegister;
#else
  static_cast<void>(attr);
#endif
}

void add_sampling(perf_event_attr& attr, const Event& event, const PerfSampling& sampling) {
  const SampleSpec& spec = sampling.spec;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  if (sampling.identified) attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
  if (sampling.tells_cpu) attr.sample_type |= PERF_SAMPLE_CPU;
  if (spec.period) {
    // The kernel lengthens a shorter period without a notice. Then samples have the wrong weight.
    const std::uint64_t shortest = event.unit == "ns" ? kShortestClockPeriod : 1;
    attr.sample_period = std::max(*spec.period, shortest);
  } else {
    attr.freq = 1;
    attr.sample_freq = spec.frequency;
    attr.sample_type |= PERF_SAMPLE_PERIOD;
  }
  if (sampling.tells_period) attr.sample_type |= PERF_SAMPLE_PERIOD;
  if (event.type == PERF_TYPE_TRACEPOINT && sampling.has_fields)
    attr.sample_type |= PERF_SAMPLE_RAW;
  if (sampling.counts_group) {
    attr.sample_type |= PERF_SAMPLE_READ;
    attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
  }
  if (sampling.is_member) attr.sample_period = attr.freq = 0;
  if (spec.chains != SampleSpec::Chains::none) attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
  if (spec.chains == SampleSpec::Chains::dwarf) {
    attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.sample_regs_user = kUserRegisters;
    attr.sample_stack_user = spec.stack_bytes;
    attr.exclude_callchain_user = 1;
  }
  if (spec.chains == SampleSpec::Chains::frame_pointers && sampling.has_return_address)
    add_return_address(attr);
  if (spec.chains != SampleSpec::Chains::none) attr.sample_max_stack = highest_stack();
  if (spec.chains == SampleSpec::Chains::lbr) {
    // The kernel's part of the chain comes from the kernel. The calls in user mode come from the
    // processor, without cycles and predictions, which take time to read (Linux 4.5).
    attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                              PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
  }
  if (spec.branches) {
    attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
    if (!attr.exclude_user) attr.branch_sample_type |= PERF_SAMPLE_BRANCH_USER;
    if (!attr.exclude_kernel) attr.branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL;
  }
  attr.context_switch = event.sampling.tells_switches;
  attr.use_clockid = spec.clock.has_value();
  attr.clockid = spec.clock.value_or(0);
  attr.sample_id_all = 1;
  attr.watermark = 1;
  attr.wakeup_watermark = sampling.wakes_at;
  if (!sampling.tracks) return;
  // Unwinding reads .eh_frame, which is mapped as data.
  attr.mmap_data = spec.chains == SampleSpec::Chains::dwarf;
  attr.mmap = attr.comm = attr.task = 1;
  attr.mmap2 = sampling.maps_inodes;
  attr.comm_exec = sampling.marks_exec;
  attr.build_id = sampling.build_ids;
}

// struct perf_event_attr of Linux 6.3, also where the headers are older.
#ifdef PERF_ATTR_SIZE_VER8
using Attributes = perf_event_attr;
#else
struct Attributes : perf_event_attr {
  std::uint64_t config3 = 0;
};
#endif
constexpr std::size_t kSizeWithConfig3 = 136;
static_assert(sizeof(Attributes) >= kSizeWithConfig3, "the kernel's headers are older than 5.13");

Attributes attributes(const Event& event, const PerfOpen& how) {
  Attributes attr{};
  // Older kernels and older versions of perf accept only the smaller size.
  attr.size = event.config3 != 0 ? kSizeWithConfig3 : PERF_ATTR_SIZE_VER7;
  attr.type = event.type;
  attr.config = event.config;
  attr.bp_type = event.access;
  attr.config1 = event.config1;
  if (how.user_reads && event.domain == Domain::core) attr.config1 |= kUserAccess;
  attr.config2 = event.config2;
  attr.config3 = event.config3;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.inherit = how.inherit && how.pid != -1;
  // Siblings are opened enabled; only the leader is turned on and off. Turning the whole group
  // would lose the time of software siblings under a task-clock leader.
  const bool leads = how.leader < 0;
  attr.disabled = leads;
  if ((leads || how.reads_group) && !how.sampling) attr.read_format |= PERF_FORMAT_GROUP;
  attr.enable_on_exec = leads && how.start == Start::at_exec;
  attr.pinned = leads && event.pinned;
  attr.exclusive = leads && event.exclusive;
  attr.exclude_user = event.exclude_user;
  attr.exclude_kernel = event.exclude_kernel;
  attr.exclude_hv = event.exclude_hv;
  attr.exclude_idle = event.exclude_idle;
  attr.exclude_host = event.exclude_host;
  attr.exclude_guest = event.exclude_guest;
  attr.precise_ip = event.precise & 3U;
  if (how.sampling) add_sampling(attr, event, *how.sampling);
  return attr;
}

struct Meaning {
  std::string cause;
  std::string remedy;
};

// The highest kernel.perf_event_paranoid at which users without privileges can count the event.
// Levels from 3 on, which Debian and Android add, forbid everything.
int level_needed(const Event& event, const PerfOpen& how) {
  if (event.type == PERF_TYPE_TRACEPOINT) return -1;
  if (how.pid == -1) return 0;
  return event.exclude_kernel ? 2 : 1;
}

// Whether the target is a process that tacho did not launch. tacho may always watch its own child.
bool watches_another(const PerfOpen& how) {
  return how.pid > 0 && how.start != Start::at_exec;
}

Meaning forbidden(const Event& event, const PerfOpen& how) {
  const auto paranoid = perf_event_paranoid();
  const int needed = level_needed(event, how);
  if (!paranoid || *paranoid > needed)
    return {paranoid ? fmt::format("forbidden by kernel.perf_event_paranoid = {}", *paranoid)
                     : "forbidden, perhaps by kernel.perf_event_paranoid, which can't be read",
            paranoid_remedy(needed)};
  if (watches_another(how))
    return {"this user may not watch the process",
            "run tacho as the owner of the process, as root or with CAP_PERFMON"};
  return {"forbidden by a security policy of this system", "run tacho as root or with CAP_PERFMON"};
}

// The meaning of EPERM.
Meaning not_permitted(const Event& event, const PerfOpen& how) {
  if (event.name.starts_with("ftrace:function"))
    return {"the kernel allows it to root only, and not on every system",
            ::geteuid() == 0 ? "" : "run tacho as root"};
  // Other events get EACCES for this.
  if (event.type == PERF_TYPE_TRACEPOINT) return forbidden(event, how);
  if (watches_another(how))
    return {"not allowed to watch this process, or a sandbox forbids perf_event_open",
            "run tacho as the owner of the process, as root or with CAP_PERFMON"};
  return {"perf_event_open is forbidden here (a container's seccomp filter does that)",
          "allow perf_event_open in the container, for example with --cap-add PERFMON"};
}

Meaning absent() {
  return {"this PMU does not have the event", "'tacho list' shows what opens here"};
}

// The meaning of EOPNOTSUPP. It is about what the user wrote, and not about what fallbacks have
// left out.
Meaning unsupported(const Event& event) {
  if (event.exclude_idle) return {"the PMU can't leave out idle time", "leave :I out"};
  if (event.names_guests)
    return {"the PMU can't count guests and the host like this", "leave :G and :H out"};
  if (event.narrowed)
    return {"the PMU can't leave out kernel mode, which this user may not count",
            paranoid_remedy(1)};
  if (!event.any_level)
    return {"the PMU can't tell user mode from kernel mode", "leave :u, :k and :h out"};
  if (event.precise > 0) return {"the PMU can't sample it precisely", "leave the p's out"};
  return {"the PMU can't count this event here", "'tacho list' shows what opens here"};
}

// The meaning of EINVAL.
Meaning invalid(const Event& event, const PerfOpen& how) {
  if (event.domain == Domain::other && !event.cpus.empty() && how.pid != -1)
    return {"this PMU counts CPUs, not processes", "count every CPU: -a"};
  if (how.leader >= 0)
    return {"it does not fit into one set with the others", "ask for fewer events in one group"};
  // x86 marks the combinations that a core lacks so (set_ext_hw_attr in arch/x86/events/core.c).
  if (event.type == PERF_TYPE_HW_CACHE && !how.sampling) return absent();
  if (event.type == PERF_TYPE_BREAKPOINT)
    return {
        "the processor has no such breakpoint",
        "the address must be a multiple of the bytes watched; ask for rw if the processor can't "
        "watch r alone (x86) or w alone (32-bit ARM)"};
  // Intel's metrics are shares of slots (is_topdown_event in arch/x86/events/perf_event.h).
  if (event.domain == Domain::core && event.name.contains("topdown"))
    return {"the kernel refuses it alone: it may need slots as the leader of its group",
            "write a group of events of one PMU: {slots,topdown-…}"};
  return {"the kernel refuses these settings", "check the event's fields and modifiers"};
}

Meaning meaning(const Event& event, const PerfOpen& how, int code) {
  const bool core = event.domain == Domain::core;
  switch (code) {
    case ENOENT:
    case ENXIO:
      if (core && core_pmu_name().empty())
        return {"this machine has no hardware PMU (a virtual machine often has none)",
                "run on bare metal, or enable the virtual PMU in the hypervisor"};
      return absent();
    case EACCES:
      return forbidden(event, how);
    case EPERM:
      return not_permitted(event, how);
    case EINVAL:
      return invalid(event, how);
    case EMFILE: {
      rlimit limit{};
      ::getrlimit(RLIMIT_NOFILE, &limit);
      return {fmt::format("too many open files (the limit is {})", limit.rlim_cur),
              "raise it with 'ulimit -n', or ask for fewer events"};
    }
    case ENFILE:
      return {"too many open files in the whole system", "ask for fewer events"};
    case E2BIG:
      if (event.config3 != 0)
        return {"this kernel does not know the field config3", "use Linux 6.3 or later"};
      return {"this kernel is older than a setting of this event", "use a newer kernel"};
    case ENOSPC:
      if (event.type == PERF_TYPE_BREAKPOINT)
        return {"all breakpoints of the processor are in use (most have four)",
                "ask for fewer mem: events, or end the debugger that holds them"};
      return {"too many events for this PMU", "ask for fewer events"};
    case EBUSY:
      return {"someone else holds the PMU for themselves", "end the other user of the PMU"};
    case EOPNOTSUPP:
      return unsupported(event);
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

std::optional<int> perf_event_paranoid() {
  const std::string text = first_line("/proc/sys/kernel/perf_event_paranoid");
  return text.empty() ? std::nullopt : std::optional(std::atoi(text.c_str()));
}

std::string paranoid_remedy(int level) {
  return fmt::format(
      "sudo sysctl kernel.perf_event_paranoid={}, or run tacho as root or with CAP_PERFMON", level);
}

Error refusal(std::string_view cause, std::string remedy, int code) {
  return {fmt::format("{} ({})", cause, errno_name(code)), std::move(remedy), code};
}

std::vector<std::byte> perf_attributes(const Event& event, const PerfOpen& how) {
  const Attributes attr = attributes(event, how);
  const auto bytes = std::as_bytes(std::span(&attr, 1)).first(attr.size);
  return {bytes.begin(), bytes.end()};
}

Result<Fd> perf_open(const Event& event, const PerfOpen& how) {
  Attributes attr = attributes(event, how);
  const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (how.cgroup ? PERF_FLAG_PID_CGROUP : 0);
  const long fd = ::syscall(SYS_perf_event_open, &attr, how.pid, how.cpu, how.leader, flags);
  const int code = fd < 0 ? errno : 0;
  if (PerfObserver* observer = perf_observer())
    observer->opened({.attributes = std::as_bytes(std::span(&attr, 1)).first(attr.size),
                      .pid = how.pid,
                      .cpu = how.cpu,
                      .group = how.leader,
                      .flags = flags,
                      .fd = static_cast<int>(fd),
                      .code = code});
  if (fd >= 0) return Fd(static_cast<int>(fd));
  const Meaning why = meaning(event, how, code);
  return std::unexpected(refusal(why.cause, why.remedy, code));
}

}  // namespace tacho
