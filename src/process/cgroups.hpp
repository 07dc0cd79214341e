// Control groups by name, in the hierarchy in which the kernel counts events: that of perf_event
// (version 1), or the unified one (version 2).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho {

struct OpenedCgroup {
  std::string name;  // of its part: relative to the hierarchy's root, or the container's
  std::string path;  // where the kernel has the directory: without '.', '..' and links
  Fd directory;
};

// `names` are relative to the hierarchy's root, or absolute paths; "/" is the root. `mounts` has
// the mounted file systems (/proc/mounts). It is an error if two names mean the same group.
Result<std::vector<OpenedCgroup>> open_cgroups(const std::vector<std::string>& names,
                                               const std::string& mounts = "/proc/mounts");

// The groups of these containers, by the containers' names or IDs (containers.hpp).
Result<std::vector<OpenedCgroup>> open_containers(const std::vector<std::string>& containers,
                                                  const std::string& mounts = "/proc/mounts");

// All groups whose names a regular expression (ECMAScript) matches as a whole, in alphabetical
// order. It is an error if there are none, or more than 1,000.
Result<std::vector<OpenedCgroup>> open_matching_cgroups(const std::string& expression,
                                                        const std::string& mounts = "/proc/mounts");

// Whether the group of this open directory is not there any more.
bool was_removed(int directory);

// The processes in the group of this open directory, and in the groups inside it.
std::vector<pid_t> processes_in_cgroup(int directory);

// A warning for each group that is not there any more.
std::vector<std::string> warnings_of_removal(const std::vector<OpenedCgroup>& groups);

// Whether the group is inside another one of these, which counts what runs there, too.
bool is_inside_another(const OpenedCgroup& group, const std::vector<OpenedCgroup>& groups);

// A warning if one of the groups is inside another: sums are of the outer groups only.
std::optional<std::string> warning_of_nesting(const std::vector<OpenedCgroup>& groups);

}  // namespace tacho
