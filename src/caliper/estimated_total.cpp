#include "caliper/estimated_total.hpp"

#include "stats/interval_ends.hpp"

namespace tacho::caliper {

std::string estimated_total(double total, const std::optional<double>& half_width,
                            const NumberStyle& style) {
  std::string text = "~" + brief(total, style);
  if (!half_width) return text;
  if (!needs_both_ends(total, *half_width)) return text + " ± " + brief(*half_width, style);
  const IntervalEnds ends = positive_ends95(total, *half_width);
  return text + " (" + brief(ends.low, style) + "…" + brief(ends.high, style) + ")";
}

}  // namespace tacho::caliper
