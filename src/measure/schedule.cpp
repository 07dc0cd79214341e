#include "measure/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kGrowth = 1.1;  // of the length, from a round to the next
constexpr double kTimesCostAtFirst =
    10;                             // least length over the cost of a turn, in the first round
constexpr double kTimesCost = 100;  // and in the end

double in_ns(Schedule::Duration duration) {
  return static_cast<double>(duration.count());
}

}  // namespace

Schedule::Schedule(std::vector<std::size_t> sets, Lengths lengths, std::uint64_t seed)
    : order_(std::move(sets)), at_(order_.size()), lengths_(lengths), random_(seed) {}

Schedule::Turn Schedule::next(std::optional<Duration> remaining) {
  if (at_ == order_.size()) {
    const bool first = length_ == Duration{};
    if (!first) ++round_;
    std::ranges::shuffle(order_, random_);
    length_ = planned(remaining);
    at_ = 0;
  }
  return {.set = order_[at_++], .round = round_, .length = length_};
}

void Schedule::turn_took(Duration cost) {
  cost_ = cost_ == Duration{} ? cost : (3 * cost_ + cost) / 4;
}

// The sum of the geometric series of rounds.
Schedule::Duration Schedule::shrinking_time() const {
  constexpr double kRounds = kGrowth / (kGrowth - 1);
  return Duration(static_cast<Duration::rep>(kRounds * static_cast<double>(order_.size()) *
                                             in_ns(lengths_.longest)));
}

Schedule::Duration Schedule::planned(std::optional<Duration> remaining) const {
  constexpr std::uint32_t kMostRounds = 1000;  // kGrowth to this power is still finite
  const double grown = std::pow(kGrowth, std::min(round_, kMostRounds));
  double wanted = std::min(in_ns(lengths_.first) * grown, in_ns(lengths_.longest));
  if (remaining) {
    const double shrunk = in_ns(lengths_.longest) * in_ns(*remaining) / in_ns(shrinking_time());
    wanted = std::min(wanted, std::max(in_ns(lengths_.first), shrunk));
  }
  const double affordable = in_ns(cost_) * std::min(kTimesCostAtFirst * grown, kTimesCost);
  return Duration(static_cast<Duration::rep>(std::max(wanted, affordable)));
}

}  // namespace tacho
