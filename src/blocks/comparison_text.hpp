// Reports of `tacho blocks --compare`: code runs of two programs beside each other, as text and
// JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/number.hpp"
#include "blocks/run_comparison.hpp"

namespace tacho {

struct ComparisonReport {
  const RunSide& before;
  const RunSide& after;
  ComparedRuns compared;  // of these sides
};

std::string comparison_text(const ComparisonReport&, const NumberStyle&);
std::string comparison_json(const ComparisonReport&, std::string_view version);

}  // namespace tacho
