// Series of turns, and estimates by the ratio estimator of `tacho stat` (stats/ratio.hpp).
#include "caliper/turns.hpp"

#include <algorithm>

#include "stats/ratio.hpp"

namespace tacho::caliper {

void TurnSeries::fold() noexcept {
  for (auto* cells : {&covered_, &counted_}) {
    for (std::size_t i = 0; i < kPlaces / 2; ++i)
      (*cells)[i].set((*cells)[2 * i].get() + (*cells)[2 * i + 1].get());
    for (std::size_t i = kPlaces / 2; i < kPlaces; ++i) (*cells)[i].set(0);
  }
  folded_.add(1);
}

void TurnSeries::clear() noexcept {
  begun_.set(0);
  folded_.set(0);
  for (auto* cells : {&covered_, &counted_})
    for (auto& cell : *cells) cell.set(0);
}

void TurnSeries::add_to(std::vector<Period>& periods) const {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (covered_[i].get() == 0) continue;
    Period& period = periods.emplace_back();
    period.round = static_cast<std::uint32_t>(periods.size());
    period.reference = covered_[i].get();
    period.counts = {counted_[i].get()};
  }
}

Count estimate(std::vector<Period> periods, std::uint64_t whole_reference, std::uint64_t turning) {
  Measurement measurement;
  measurement.sets = 1;
  measurement.periods = std::move(periods);
  // Other threads can have counted more since the whole was read.
  std::uint64_t covered = 0;
  for (const Period& period : measurement.periods) covered += period.reference;
  measurement.reference_total = std::max(whole_reference, covered);
  // Only the ratio of these two is used, so they need not be in seconds.
  measurement.workload.elapsed_s = static_cast<double>(whole_reference);
  measurement.turning_s = static_cast<double>(turning);
  const SetTurns turns = std::move(turns_of_sets(measurement).front());
  Count count;
  if (turns.covered_total <= 0) return count;
  const RatioEstimate ratio =
      estimate_ratio(measurement, turns, 0, tacho::whole_reference(measurement));
  count.status = ratio.share < 1 ? CountStatus::estimated : CountStatus::counted;
  count.value = ratio.value;
  count.share = ratio.share;
  count.has_interval = count.status == CountStatus::counted || turns.periods.size() >= kFewestTurns;
  if (count.status == CountStatus::estimated && count.has_interval)
    count.half_width95 = half_width95(ratio, turns);
  return count;
}

}  // namespace tacho::caliper
