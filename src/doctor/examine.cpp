#include "doctor/examine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <vector>

#include "base/file.hpp"
#include "base/program_files.hpp"
#include "doctor/examine_capability.hpp"
#include "doctor/examine_core.hpp"
#include "doctor/examine_registers.hpp"
#include "doctor/examine_watchdog.hpp"
#include "doctor/missing_pmu.hpp"
#include "pmu/perf/amd_sampling.hpp"
#include "pmu/perf/core_pmu.hpp"
#include "pmu/perf/perf_event.hpp"
#include "pmu/perf/perf_open.hpp"
#include "pmu/perf/user_reads.hpp"
#include "simulation/simulator_launch.hpp"

namespace tacho {
namespace {

// The kernel's initial kernel.perf_event_max_sample_rate (kernel/events/core.c), samples a second.
constexpr int kUsualSampleRate = 100'000;

// Tries the kernel's software events: each touched page must be counted as one page fault.
Finding software_events(Pmu& pmu) {
  constexpr std::size_t kPages = 64;
  constexpr const char* kName = "software events";
  const auto event = pmu.resolve("page-faults");
  auto group =
      event ? pmu.open({&*event, 1}, Self{}, Start::stopped) : std::unexpected(event.error());
  if (!group) return finding(kName, Verdict::problem, group.error().what, group.error().remedy);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return finding(kName, Verdict::warning, "no memory to try them with");
  ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  Reading reading;
  bool counted = (*group)->enable().has_value();
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  counted = (*group)->disable() && (*group)->read({&reading, 1}) && counted;
  ::munmap(memory, kPages * page);
  const bool right = counted && reading.value >= kPages && reading.value <= kPages + 16;
  return finding(
      kName, right ? Verdict::ok : Verdict::problem,
      fmt::format("touching {} pages counted as {} page faults", kPages, reading.value),
      right ? "" : "the kernel's counts can't be believed here; report this with its version");
}

Finding hardware_pmu(const std::string& core) {
  constexpr const char* kName = "hardware PMU";
  constexpr const char* kDevices = "/sys/bus/event_source/devices";
  if (!core.empty()) return finding(kName, Verdict::ok, core);
  if (::access(kDevices, R_OK) != 0)
    return unreadable(kName, kDevices, "mount -t sysfs sysfs /sys");
  if (const auto board = explain_missing_pmu()) return *board;
  return finding(kName, Verdict::warning, "none: sysfs shows no PMU of the processor's cores",
                 "run on bare metal, or enable the virtual PMU in the hypervisor");
}

Finding paranoid(const Capabilities& pmu) {
  const auto level = perf_event_paranoid();
  if (!level) return unreadable("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
  const std::string value = fmt::format("kernel.perf_event_paranoid = {}", *level);
  if (*level < 2)
    return finding("perf_event_paranoid", Verdict::ok,
                   value + ": user and kernel mode may be counted");
  if (pmu.kernel_mode)
    return finding("perf_event_paranoid", Verdict::ok,
                   value + ", but this user has the privilege to count everything");
  const std::string remedy = paranoid_remedy(1);
  if (*level == 2)
    return finding("perf_event_paranoid", Verdict::warning, value + ": user mode only", remedy);
  return finding("perf_event_paranoid", Verdict::problem, value + ": this user may count nothing",
                 remedy);
}

Finding user_reads(const Catalogue& catalogue, bool hardware) {
  constexpr const char* kName = "reads from user space";
  if (!hardware) return finding(kName, Verdict::warning, "no hardware counter to read", "");
  const auto event = catalogue.resolve("cycles:u");
  const auto allowed = event ? user_space_may_read(*event) : std::unexpected(event.error());
  if (!allowed)
    return finding(kName, Verdict::warning, allowed.error().what, allowed.error().remedy);
  if (*allowed) return finding(kName, Verdict::ok, "the kernel lets user space read counters");
#if defined(__aarch64__)
  const char* remedy = "sudo sysctl kernel.perf_user_access=1 (kernel 5.17 or newer)";
#else
  const std::string remedy =
      rdpmc_switches().empty()
          ? ""
          : fmt::format("echo 1 | sudo tee {}", fmt::join(rdpmc_switches(), " "));
#endif
  return finding(kName, Verdict::warning,
                 "the kernel does not let user space read counters: reads cost a system call",
                 remedy);
}

// Whether the core records the last branches before a sample.
Finding branch_stacks(const Catalogue& catalogue, bool hardware) {
  constexpr const char* kName = "branch stacks";
  if (!hardware)
    return finding(kName, Verdict::warning, "no hardware PMU to keep them",
                   "a simulated core does: tacho record --pmu simulated -b");
  PerfEventPmu pmu(catalogue, Trust::believed);
  const bool brs = amd_sampling().brs;
  const auto event = pmu.resolve(brs ? kBrsEvent : "cycles");
  if (!event) return finding(kName, Verdict::warning, event.error().what, event.error().remedy);
  SampleSpec spec;
  spec.frequency = pmu.default_rate().frequency;
  if (brs) spec.period = kBrsPeriod;
  spec.branches = true;
  std::vector<EventGroup> groups;
  for (const Event& part : pmu.parts_of(*event)) groups.push_back({part});
  const auto sampled = pmu.sample(groups, Process{::getpid()}, Start::stopped, spec);
  if (sampled)
    return finding(kName, Verdict::ok,
                   fmt::format("the core keeps the last branches{}: tacho record -b",
                               brs ? " (AMD BRS: with taken branches at a fixed period)" : ""));
  return finding(kName, Verdict::warning, sampled.error().what, sampled.error().remedy);
}

// A limit of the kernel that makes tacho sample less often than usual.
std::optional<Finding> sample_rate(const SampleRate& rate) {
  if (rate.limit.empty()) return std::nullopt;
  return finding(
      "sampling rate", Verdict::warning,
      fmt::format("{} samples a second by default, not {}: {}", rate.frequency,
                  SampleRate().frequency, rate.limit),
      fmt::format("sudo sysctl kernel.perf_event_max_sample_rate={}. The kernel lowers it "
                  "again if samples take too long",
                  kUsualSampleRate));
}

// What this kernel or PMU refuses and tacho leaves out.
std::optional<Finding> left_out(const std::vector<std::string>& remarks) {
  if (remarks.empty()) return std::nullopt;
  return finding("left out", Verdict::ok, fmt::format("{}", fmt::join(remarks, "; ")));
}

// The simulated PMU counts and samples on any machine.
Finding simulated_pmu() {
  constexpr const char* kName = "simulated PMU";
  const auto simulator = find_simulator();
  if (!simulator)
    return finding(kName, Verdict::warning, simulator.error().what, simulator.error().remedy);
  return finding(kName, Verdict::ok,
                 fmt::format("{} runs it: tacho stat --pmu simulated{}", simulator->valgrind,
                             find_helper("qemu-arm") ? "; programs for ARM run on QEMU" : ""));
}

Finding virtualisation(bool hardware) {
  const auto cpuinfo = read_file("/proc/cpuinfo", 1 << 24);
  if (!cpuinfo) return unreadable("virtualisation", "/proc/cpuinfo");
  const bool flag = cpuinfo->contains("hypervisor");
  const std::string vendor = first_line("/sys/class/dmi/id/sys_vendor");
  const bool container =
      ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0;
  std::string detail = flag ? "a virtual machine" : "no hypervisor seen";
  if (flag && !vendor.empty()) detail += " (" + vendor + ")";
  const bool without = flag && !hardware;
  if (without) detail += " without a virtual PMU";
  if (container) detail += ", in a container";
  if (without)
    return finding("virtualisation", Verdict::warning, detail,
                   "enable the virtual PMU in the hypervisor, or measure on bare metal");
  return finding("virtualisation", Verdict::ok, detail);
}

// Time that the hypervisor took from this machine's CPUs since boot (proc_stat(5)).
Finding steal() {
  const std::string first = first_line("/proc/stat");
  if (first.empty()) return unreadable("steal time", "/proc/stat");
  std::istringstream line(first);
  std::string cpu;
  line >> cpu;
  std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
  double busy = 0;
  for (std::size_t i = 0; i < ticks.size() && line >> ticks[i]; ++i)
    if (i != 3 && i != 4) busy += ticks[i];
  const double share = busy > 0 ? ticks[7] / busy : 0;
  const std::string detail = fmt::format("{:.2f} % of the busy time since boot", 100 * share);
  if (share < 0.01) return finding("steal time", Verdict::ok, detail);
  return finding("steal time", Verdict::warning,
                 detail + ": the hypervisor gives the CPUs to others, times are uncertain",
                 "measure on a quieter host; compare counts rather than times");
}

Finding open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // tacho raises its own soft limit to the hard one.
  const std::string detail = fmt::format("up to {} (the hard limit)", limit.rlim_max);
  if (limit.rlim_max >= 256) return finding("open files", Verdict::ok, detail);
  return finding("open files", Verdict::warning,
                 detail + ": each event needs one, on every thread or CPU it is counted on",
                 "raise the hard limit, as root: ulimit -n 1024");
}

Finding tracepoints() {
  if (::access("/sys/kernel/debug/tracing/events", R_OK) == 0 ||
      ::access("/sys/kernel/tracing/events", R_OK) == 0)
    return finding("tracepoints", Verdict::ok, "tracefs is mounted and readable");
  if (errno == EACCES)
    return finding("tracepoints", Verdict::warning, "this user may not read tracefs",
                   "sudo mount -o remount,mode=755 /sys/kernel/tracing, or run tacho as root");
  return finding("tracepoints", Verdict::warning, "tracefs is not mounted",
                 "sudo mount -t tracefs -o mode=755 nodev /sys/kernel/tracing");
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kWords = {"ok", "warning", "problem"};
  return kWords[static_cast<std::size_t>(verdict)];
}

Examination examine(const Catalogue& catalogue) {
  PerfEventPmu pmu(catalogue, Trust::refused);
  const CoreExamination counters = examine_core(catalogue);
  const bool hardware = counters.usable;
  Examination result;
  const Finding software = software_events(pmu);
  if (hardware)
    result.pmu_kind = PmuKind::hardware;
  else if (software.verdict != Verdict::problem)
    result.pmu_kind = PmuKind::software;
  result.pmu_name = hardware ? core_pmu_name() : "perf_event";
  result.counters = counters.counters;
  const std::string core = core_pmu_name();
  result.findings.push_back(hardware_pmu(core));
  if (!core.empty() || hardware)
    result.findings.insert(result.findings.end(), counters.findings.begin(),
                           counters.findings.end());
  result.findings.push_back(software);
  result.findings.push_back(paranoid(pmu.capabilities()));
  if (auto capability = examine_capability()) result.findings.push_back(*capability);
  result.findings.push_back(examine_watchdog(hardware));
  if (auto rate = sample_rate(pmu.default_rate())) result.findings.push_back(*rate);
  result.findings.push_back(user_reads(catalogue, hardware));
  if (auto registers = arm::examine_registers(hardware)) result.findings.push_back(*registers);
  result.findings.push_back(branch_stacks(catalogue, hardware));
  if (auto less = left_out(pmu.remarks())) result.findings.push_back(*less);
  result.findings.push_back(simulated_pmu());
  result.findings.push_back(virtualisation(hardware));
  result.findings.push_back(steal());
  result.findings.push_back(open_files());
  result.findings.push_back(tracepoints());
  return result;
}

}  // namespace tacho
