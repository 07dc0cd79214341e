// Runs of two recordings beside each other, for people, programs and gnuplot.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "blocks/run_comparison.hpp"

namespace tacho {

struct ComparisonReport {
  std::string before_name, after_name;  // the recordings
  const Blocks& before;
  const Blocks& after;
  std::span<const RunComparison> runs;
  // Of those that were to be compared, those that were not seen there or tell no cycles.
  std::span<const std::size_t> missing;
};

std::string comparison_text(const ComparisonReport&, const NumberStyle&);
std::string comparison_json(const ComparisonReport&, std::string_view version);

// How often each number of cycles was seen, one case a curve: gnuplot's script, with the data in
// it. Of one case the executions are counted, of several their shares are compared.
struct PlottedCase {
  std::string title;
  const Histogram& cycles;
};
std::string cycles_plot_script(std::string_view title, std::span<const PlottedCase> cases,
                               std::string_view picture);

}  // namespace tacho
