#include "doctor/examine_watchdog.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.hpp"

namespace tacho {
namespace {

constexpr const char* kWatchdog = "NMI watchdog";
constexpr std::size_t kMostConfiguration = 1 << 22;  // bytes; Debian's has some 300 KB

// Where distributions keep the configuration of the running kernel as text.
std::string kernel_configuration() {
  utsname name{};
  ::uname(&name);
  for (const std::string& path : {fmt::format("/boot/config-{}", name.release),
                                  fmt::format("/lib/modules/{}/config", name.release)})
    if (auto text = read_file(path, kMostConfiguration)) return std::move(*text);
  return {};
}

}  // namespace

LockupDetector lockup_detector(std::string_view configuration) {
  if (configuration.contains("\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y")) return LockupDetector::buddy;
  if (configuration.contains("\nCONFIG_HARDLOCKUP_DETECTOR_PERF=y")) return LockupDetector::counter;
  return LockupDetector::unknown;
}

Finding judge_watchdog(std::string_view value, LockupDetector detector, bool hardware) {
  if (value != "1") return finding(kWatchdog, Verdict::ok, "off");
  if (!hardware) return finding(kWatchdog, Verdict::ok, "on, without a PMU to hold");
  if (detector == LockupDetector::buddy)
    return finding(kWatchdog, Verdict::ok, "on: its CPUs watch each other, which takes no counter");
  const bool certain = detector == LockupDetector::counter;
  return finding(kWatchdog, Verdict::warning,
                 certain
                     ? "on: it holds one counter of every CPU"
                     : "on: it holds one counter of every CPU, unless this kernel has the buddy "
                       "detector (Linux 6.5 and later), which holds none",
                 "sudo sysctl kernel.nmi_watchdog=0");
}

Finding examine_watchdog(bool hardware) {
  constexpr const char* kSwitch = "/proc/sys/kernel/nmi_watchdog";
  const std::string value = first_line(kSwitch);
  // If /proc is mounted and the file is missing, the kernel has no watchdog.
  if (value.empty() && ::access("/proc/sys/kernel", F_OK) != 0)
    return unreadable(kWatchdog, kSwitch);
  const bool matters = value == "1" && hardware;
  return judge_watchdog(
      value, matters ? lockup_detector(kernel_configuration()) : LockupDetector::unknown, hardware);
}

}  // namespace tacho
