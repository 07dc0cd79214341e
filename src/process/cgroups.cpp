#include "process/cgroups.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <regex>
#include <sstream>
#include <utility>

#include "base/file.hpp"
#include "process/containers.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMost = 1'000;

// Where the hierarchy is mounted. Without perf_event's own one, it is the unified one.
Result<std::string> root_of_hierarchy(const std::string& mounts) {
  std::istringstream lines(read_file(mounts).value_or(""));
  std::string unified;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device;
    std::string path;
    std::string type;
    std::string options;
    words >> device >> path >> type >> options;
    if (type == "cgroup" && (',' + options + ',').contains(",perf_event,")) return path;
    if (type == "cgroup2" && unified.empty()) unified = path;
  }
  if (!unified.empty()) return unified;
  return failure("there are no control groups in which the kernel counts events",
                 "mount them: mount -t cgroup2 none /sys/fs/cgroup");
}

Fd open_directory(const std::string& path) {
  return Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Whether `path` is below `outer`. Both are paths as the kernel has them.
bool is_inside(const std::string& path, const std::string& outer) {
  return path.starts_with(outer + '/');
}

Result<OpenedCgroup> open_below(const std::string& root, const std::string& given) {
  if (given.empty())
    return failure("the name of a control group is empty", "give a name; / is the root");
  std::string name = given;
  if (name == root || name.starts_with(root + '/')) name = name.substr(root.size());
  while (name.starts_with('/')) name.erase(0, 1);
  while (name.ends_with('/')) name.pop_back();
  const std::string path = name.empty() ? root : root + '/' + name;
  Fd directory = open_directory(path);
  if (!directory && given.starts_with('/')) directory = open_directory(given);
  if (!directory)
    return os_failure(
        fmt::format("there is no control group '{}' ({})", given, path), errno,
        fmt::format("'ls {}' lists the groups; /proc/PID/cgroup has that of a process", root));
  std::error_code error;
  const std::string opened =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", directory.get()), error);
  if (opened == root)
    return OpenedCgroup{.name = "/", .path = opened, .directory = std::move(directory)};
  if (!is_inside(opened, root))
    return failure(fmt::format("'{}' is not in the hierarchy of control groups in which the kernel "
                               "counts events ({})",
                               given, root),
                   fmt::format("give a group below {}: 'ls {}' lists them", root, root));
  return OpenedCgroup{
      .name = opened.substr(root.size() + 1), .path = opened, .directory = std::move(directory)};
}

// An error if the last of the groups is also one of those before it. `names` are the names that
// were given, in the same order.
Result<void> check_last(const std::vector<OpenedCgroup>& opened,
                        const std::vector<std::string>& names, std::string_view what) {
  const auto first = std::ranges::find(opened, opened.back().path, &OpenedCgroup::path);
  const std::string& earlier = names[static_cast<std::size_t>(first - opened.begin())];
  const std::string& later = names[opened.size() - 1];
  if (&earlier == &later) return {};
  const std::string spellings =
      earlier == later ? "" : fmt::format(": as '{}' and '{}'", earlier, later);
  return failure(fmt::format("the {} '{}' is named twice{}", what, opened.back().name, spellings),
                 fmt::format("give each {} once", what));
}

}  // namespace

Result<std::vector<OpenedCgroup>> open_cgroups(const std::vector<std::string>& names,
                                               const std::string& mounts) {
  std::vector<OpenedCgroup> opened;
  if (names.empty()) return opened;
  const std::string root = TACHO_TRY(root_of_hierarchy(mounts));
  for (const std::string& name : names) {
    opened.push_back(TACHO_TRY(open_below(root, name)));
    TACHO_TRY(check_last(opened, names, "control group"));
  }
  return opened;
}

Result<std::vector<OpenedCgroup>> open_containers(const std::vector<std::string>& containers,
                                                  const std::string& mounts) {
  const std::string root = TACHO_TRY(root_of_hierarchy(mounts));
  std::vector<OpenedCgroup> opened;
  for (const std::string& container : containers) {
    const std::string path = TACHO_TRY(cgroup_of_container(container, root));
    OpenedCgroup group = TACHO_TRY(open_below(root, path));
    group.name = container;
    opened.push_back(std::move(group));
    TACHO_TRY(check_last(opened, containers, "container"));
  }
  return opened;
}

Result<std::vector<OpenedCgroup>> open_matching_cgroups(const std::string& expression,
                                                        const std::string& mounts) {
  const std::string root = TACHO_TRY(root_of_hierarchy(mounts));
  std::regex wanted;
  try {
    wanted = std::regex(expression);
  } catch (const std::regex_error&) {
    return failure(fmt::format("'{}' is not a regular expression", expression),
                   "for example --for-each-cgroup 'system.slice/.*'");
  }
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator each(root, error), end;
       !error && each != end && names.size() <= kMost; each.increment(error)) {
    if (!each->is_directory(error)) continue;
    const std::string name = each->path().string().substr(root.size() + 1);
    if (std::regex_match(name, wanted)) names.push_back(name);
  }
  if (names.empty())
    return failure(
        fmt::format("no control group has a name like '{}'", expression),
        fmt::format("the expression must match a whole path below {}; 'stat -G A,B' takes "
                    "a list of names",
                    root));
  if (names.size() > kMost)
    return failure(
        fmt::format("more than {} control groups have names like '{}'", kMost, expression),
        "give an expression that matches fewer");
  std::ranges::sort(names);
  return open_cgroups(names, mounts);
}

bool was_removed(int directory) {
  return ::faccessat(directory, "cgroup.procs", F_OK, 0) != 0;
}

std::vector<pid_t> processes_in_cgroup(int directory) {
  std::vector<pid_t> pids;
  const auto take = [&](const std::filesystem::path& group) {
    std::istringstream text(read_file(group / "cgroup.procs").value_or(""));
    for (pid_t pid = 0; text >> pid;) pids.push_back(pid);
  };
  const std::filesystem::path root = fmt::format("/proc/self/fd/{}", directory);
  take(root);
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entries(root, error), end;
       !error && entries != end; entries.increment(error))
    if (entries->is_directory(error)) take(entries->path());
  return pids;
}

std::vector<std::string> warnings_of_removal(const std::vector<OpenedCgroup>& groups) {
  std::vector<std::string> warnings;
  for (const OpenedCgroup& group : groups)
    if (was_removed(group.directory.get()))
      warnings.push_back(fmt::format(
          "the control group '{}' was removed meanwhile: its counts are those until then",
          group.name));
  return warnings;
}

bool is_inside_another(const OpenedCgroup& group, const std::vector<OpenedCgroup>& groups) {
  return std::ranges::any_of(
      groups, [&](const OpenedCgroup& other) { return is_inside(group.path, other.path); });
}

std::optional<std::string> warning_of_nesting(const std::vector<OpenedCgroup>& groups) {
  std::vector<std::string> nested;
  for (const OpenedCgroup& inner : groups)
    for (const OpenedCgroup& outer : groups)
      if (is_inside(inner.path, outer.path)) {
        nested.push_back(fmt::format("'{}' is inside '{}'", inner.name, outer.name));
        break;
      }
  if (nested.empty()) return std::nullopt;
  return fmt::format("the sum of all control groups counts the outer groups only: {}",
                     fmt::join(nested, ", "));
}

}  // namespace tacho
