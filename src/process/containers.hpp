// Containers by name or ID: the control group in which Docker, Podman, containerd or CRI-O runs
// one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tacho {

// The path, below `hierarchy`, of the control group of a container. It is found by its ID, of which
// at least the first 8 digits are given; or by its name, as the engine's files below `root` have it
// (docker, podman), or as a Kubernetes node names the container's log
// (POD_NAMESPACE_CONTAINER, or one of the three). An error if there is none that runs, or several.
Result<std::string> cgroup_of_container(std::string_view container, const std::string& hierarchy,
                                        const std::string& root = {});

}  // namespace tacho
