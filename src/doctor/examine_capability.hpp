// Examines who may execute tacho's own file, if the file has a capability.
#pragma once

#include <optional>

#include "doctor/finding.hpp"

namespace tacho {

// None if the file has no capability (setcap(8)).
std::optional<Finding> examine_capability();

}  // namespace tacho
