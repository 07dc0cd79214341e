// Which options of `tacho stat` exclude or need each other.
#pragma once

#include <string>

#include "base/result.hpp"
#include "stat/request.hpp"

namespace tacho {

// An error names them. `usage`: how to call the program.
Result<void> check(const StatRequest& request, const std::string& usage);

}  // namespace tacho
