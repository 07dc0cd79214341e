// tacho blocks --compare and --plot.
#pragma once

#include <span>
#include <string>

#include "blocks/comparison_text.hpp"
#include "blocks/run_comparison.hpp"
#include "cli/branch_recording.hpp"

namespace tacho {

// Those of these runs that the other recording has.
struct ComparedRuns {
  std::vector<RunComparison> runs;
  std::vector<std::size_t> missing;
};
ComparedRuns compare(const Blocks& before, std::span<const std::size_t> runs, const Blocks& after);

// Before anything is read: whether the picture can be drawn. Nothing where there is to be none.
Result<void> check_plot(const std::string& picture);
Result<void> draw(std::string_view title, std::span<const PlottedCase> cases,
                  const std::string& picture);

}  // namespace tacho
