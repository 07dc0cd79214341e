#include "process/taken_events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/program_files.hpp"

namespace tacho {
namespace {

// How much of the CPU time may be missing from the time of the events. CPU time also has the start
// and the end of each process, 10 to 50 µs each: 10 % of a shell that only runs /bin/true, and 33 %
// of a program that only forks. On an emulated or slow processor the launch alone takes tens of ms:
// less than several launches proves nothing.
constexpr double kMissing = 0.5;
constexpr double kMissingNs = 5e6;
constexpr double kMissingLaunches = 8;
// The part whose lack is said.
constexpr double kWorthAWarning = 0.1;
// If the file shows that the kernel takes the events away, their time is that of the exec alone: a
// few µs. Otherwise the loader's time is in it, too.
constexpr double kOfExec = 0.1;

// Whether executing a file with this mode changes the user or the group.
std::optional<std::string> changed_identity(const struct stat& file, const std::string& path) {
  struct statvfs mount{};
  if (::statvfs(path.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0) return std::nullopt;
  if ((file.st_mode & S_ISUID) != 0 && file.st_uid != ::geteuid()) return "is set-user-ID";
  constexpr mode_t kSetGroup = S_ISGID | S_IXGRP;
  if ((file.st_mode & kSetGroup) == kSetGroup && file.st_gid != ::getegid())
    return "is set-group-ID";
  const bool privileged = ::geteuid() == 0;  // has these capabilities already
  if (!privileged && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return "has file capabilities";
  return std::nullopt;
}

double least_missing_ns(CommandTime cpu, double share) {
  return std::max({share * cpu.all, kMissingNs, kMissingLaunches * cpu.launch});
}

const char* remedy_of_taken() {
  return ::geteuid() == 0 ? "count every CPU: -a"
                          : "run tacho as root, or count every CPU as root: -a";
}

}  // namespace

std::optional<std::string> why_events_are_taken(const std::string& program,
                                                const std::string& directory) {
  for (const std::string& path : program_files(program, directory)) {
    struct stat file{};
    if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode) ||
        ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0)
      continue;
    if (const auto changed = changed_identity(file, path))
      return fmt::format("'{}' {}", program, *changed);
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
      return fmt::format("'{}' may be executed, but not read", program);
    return std::nullopt;
  }
  return std::nullopt;
}

bool were_taken(double events_ns, CommandTime cpu, bool expected) {
  if (expected && events_ns < kOfExec * cpu.all) return true;
  return cpu.all - events_ns > least_missing_ns(cpu, kMissing);
}

std::optional<std::string> missed_time_warning(double events_ns, CommandTime cpu) {
  if (cpu.all - events_ns <= least_missing_ns(cpu, kWorthAWarning)) return std::nullopt;
  return fmt::format(
      "the events were on for {:.1f} of the command's {:.1f} ms of CPU time; they miss the starts "
      "and ends of processes, and programs with more privileges; {}",
      events_ns / 1e6, cpu.all / 1e6, remedy_of_taken());
}

Error taken_events(std::span<const std::string> command, const std::string& directory) {
  const auto why =
      command.empty() ? std::nullopt : why_events_are_taken(command.front(), directory);
  return {fmt::format("the kernel took the events away when the command executed {}",
                      why ? fmt::format("its program: {}", *why)
                          : "a program with more privileges, or one that may not be read"),
          remedy_of_taken(), 0};
}

std::optional<double> cpu_time_ns(int pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

bool is_exiting(int pid) {
  char first = 0;
  return ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), &first, 1) < 0 && errno == ENOENT;
}

}  // namespace tacho
