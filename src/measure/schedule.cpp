#include "measure/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kFirstNs = 1e5;  // length of the first periods
constexpr double kGrowth = 1.1;   // of the length, from a round to the next
constexpr double kTimesCostAtFirst =
    10;                             // least length over the cost of a turn, in the first round
constexpr double kTimesCost = 100;  // and in the end

}  // namespace

Schedule::Schedule(std::vector<std::size_t> sets, Duration longest, std::uint64_t seed)
    : order_(std::move(sets)), at_(order_.size()), longest_(longest), random_(seed) {}

Schedule::Turn Schedule::next() {
  if (at_ == order_.size()) {
    const bool first = length_ == Duration{};
    if (!first) ++round_;
    std::ranges::shuffle(order_, random_);
    length_ = planned();
    at_ = 0;
  }
  return {.set = order_[at_++], .round = round_, .length = length_};
}

void Schedule::turn_took(Duration cost) {
  cost_ = cost_ == Duration{} ? cost : (3 * cost_ + cost) / 4;
}

Schedule::Duration Schedule::planned() const {
  constexpr std::uint32_t kMostRounds = 1000;  // kGrowth to this power is still finite
  const double grown = std::pow(kGrowth, std::min(round_, kMostRounds));
  const double wanted = std::min(kFirstNs * grown, static_cast<double>(longest_.count()));
  const double affordable =
      static_cast<double>(cost_.count()) * std::min(kTimesCostAtFirst * grown, kTimesCost);
  return Duration(static_cast<Duration::rep>(std::max(wanted, affordable)));
}

}  // namespace tacho
