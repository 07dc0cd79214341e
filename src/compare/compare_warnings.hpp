// What makes a comparison doubtful, in sentences.
#pragma once

#include <string>
#include <vector>

#include "compare/judge.hpp"
#include "compare/request.hpp"
#include "compare/runs.hpp"

namespace tacho {

std::vector<std::string> compare_warnings(const CompareRequest& request, const PairedRuns& runs,
                                          const std::vector<PairedChange>& changes);

}  // namespace tacho
