#include "stage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/fd.hpp"
#include "base/file.hpp"

namespace made_up {
namespace {

using tacho::os_failure;
using tacho::Result;

constexpr const char* kDevices = "/sys/bus/event_source/devices";

Result<void> write_file(const std::string& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const tacho::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return os_failure(fmt::format("cannot make '{}'", path), errno);
  return tacho::write_all(file.get(), text, path);
}

Result<void> mount_memory(const char* where) {
  if (::mount("made_up", where, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") == 0)
    return {};
  return os_failure(fmt::format("cannot mount on '{}'", where), errno);
}

// The PMUs that every kernel has, with their types here.
std::vector<MadeUpFile> own_pmus() {
  std::vector<MadeUpFile> files;
  for (const char* pmu : {"software", "tracepoint", "breakpoint", "kprobe", "uprobe"}) {
    const std::string type = tacho::first_line(fmt::format("{}/{}/type", kDevices, pmu));
    if (!type.empty()) files.push_back({fmt::format("{}/type", pmu), type});
  }
  return files;
}

std::string cpu_list(const Machine& machine) {
  return machine.cpus == 1 ? "0" : fmt::format("0-{}", machine.cpus - 1);
}

// The first tmpfs keeps the files that are bound over others. The second one hides it.
Result<void> bind_files(const Machine& machine) {
  std::vector<MadeUpFile> files = machine.files;
  for (const char* list : {"online", "possible", "present"})
    files.push_back({fmt::format("/sys/devices/system/cpu/{}", list), cpu_list(machine)});
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string source = fmt::format("{}/{}", kDevices, i);
    TACHO_TRY(write_file(source, files[i].text + "\n"));
    if (::access(files[i].path.c_str(), F_OK) != 0) continue;  // this kernel is built without it
    if (::mount(source.c_str(), files[i].path.c_str(), nullptr, MS_BIND, nullptr) != 0)
      return os_failure(fmt::format("cannot bind '{}'", files[i].path), errno);
  }
  return {};
}

Result<void> make_pmus(const Machine& machine, const std::vector<MadeUpFile>& own) {
  const auto add = [](const std::string& path, const std::string& text) {
    return write_file(fmt::format("{}/{}", kDevices, path), text + "\n");
  };
  for (const MadeUpFile& file : own) TACHO_TRY(add(file.path, file.text));
  for (const MadeUpPmu& pmu : machine.pmus) {
    TACHO_TRY(add(pmu.name + "/type", std::to_string(pmu.type)));
    for (const MadeUpFile& file : pmu.sysfs)
      TACHO_TRY(add(fmt::format("{}/{}", pmu.name, file.path), file.text));
  }
  return {};
}

Result<void> enter_namespaces() {
  if (::unshare(CLONE_NEWNS) == 0) return {};
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return os_failure("cannot make a mount namespace", errno, "run it as root");
  TACHO_TRY(write_file("/proc/self/setgroups", "deny"));
  TACHO_TRY(write_file("/proc/self/gid_map", fmt::format("{} {} 1", group, group)));
  return write_file("/proc/self/uid_map", fmt::format("{} {} 1", user, user));
}

}  // namespace

Result<void> set_the_stage(const Machine& machine) {
  const std::vector<MadeUpFile> own = own_pmus();
  TACHO_TRY(enter_namespaces());
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return os_failure("cannot keep the mounts to the command", errno);
  TACHO_TRY(mount_memory(kDevices));
  TACHO_TRY(bind_files(machine));
  TACHO_TRY(mount_memory(kDevices));
  return make_pmus(machine, own);
}

Result<void> keep_to_cpus(const Machine& machine) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < machine.cpus; ++cpu) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return os_failure("cannot keep the command to the machine's CPUs", errno);
}

}  // namespace made_up
