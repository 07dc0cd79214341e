#include "stat/running_totals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacho {

Totals whole_totals(Summary summary, double counting_s) {
  std::vector<double> counted_s(summary.events.size(), counting_s);
  return {std::move(summary), std::move(counted_s)};
}

void RunningTotals::add(const Summary& interval, double counting_s) {
  totals_ = whole_totals(interval, 0);
  for (std::size_t i = 0; i < interval.events.size(); ++i) {
    const EventSummary& gained = interval.events[i];
    if (!gained.estimate) continue;
    const auto [found, is_first] = sums_.try_emplace(gained.name);
    Sum& sum = found->second;
    if (is_first) {
      sum.event = gained;
      sum.event.estimate = sum.event.count = sum.event.shared95 = 0;
    }
    sum.counted_s += counting_s;
    *sum.event.estimate += *gained.estimate;
    *sum.event.count += gained.count.value_or(0);
    if (gained.status == Status::estimated) sum.event.status = Status::estimated;
    sum.has_interval = sum.has_interval && gained.ci95.has_value();
    const double all = gained.ci95.value_or(0);
    sum.squares += std::max(0.0, all * all - gained.shared95 * gained.shared95);
    sum.event.shared95 += gained.shared95;
    sum.event.ci95.reset();
    if (sum.has_interval)
      sum.event.ci95 = std::sqrt(sum.squares + sum.event.shared95 * sum.event.shared95);
    totals_.summary.events[i] = sum.event;
    totals_.counted_s[i] = sum.counted_s;
  }
}

}  // namespace tacho
