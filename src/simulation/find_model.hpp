// Finds models of processors by their names or paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// The model of a data file's name, or of a path, which has a '/' or ends in .toml, or of `host`,
// which is this machine. If ",prefetch=off" follows, it has no hardware prefetcher. The error for
// an unknown name lists the existing names.
Result<CpuModel> find_model(std::string_view name);

// The names that find_model knows: `host`, then those of the data files, sorted.
std::vector<std::string> model_names();

}  // namespace tacho
