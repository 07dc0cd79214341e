// Finds models of processors: by name among the data files, by path, or of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// A model by name, by path when it has a '/' or ends in .toml, or `host`, which is made from this
// machine's sysfs. The error of an unknown name lists the names that exist.
Result<CpuModel> find_model(std::string_view name_or_path);

// The names that find_model knows, in order: host first.
std::vector<std::string> model_names();

}  // namespace tacho
