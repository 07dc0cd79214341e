// Reports of `tacho blocks --compare`: runs of two recordings beside each other, as text and JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/number.hpp"
#include "blocks/run_comparison.hpp"

namespace tacho {

struct ComparisonReport {
  std::string before_name, after_name;  // file names of the recordings
  const Blocks& before;
  const Blocks& after;
  std::span<const RunComparison> runs;
  // Runs of `before` that were to be compared, and that have no cycles or were not seen in `after`.
  std::span<const std::size_t> missing;
};

std::string comparison_text(const ComparisonReport&, const NumberStyle&);
std::string comparison_json(const ComparisonReport&, std::string_view version);

}  // namespace tacho
