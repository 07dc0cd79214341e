// Reads models of processors from TOML, strictly as docs/reference/models.md defines them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "simulation/cpu_model.hpp"

namespace tacho {

// Errors name `path`, the line and the reason.
Result<CpuModel> parse_model(std::string_view text, const std::string& path);

}  // namespace tacho
