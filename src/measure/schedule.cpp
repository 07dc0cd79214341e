#include "measure/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kShortRounds = 12;
constexpr double kGrowth = 1.1;
constexpr int kTimesCost = 100;
constexpr int kTimesCostAtFirst = 20;

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
  const bool short_rounds = round_ < kShortRounds;
  const double grown =
      1e6 * std::pow(kGrowth, short_rounds ? 0.0 : std::min(round_ - kShortRounds, 1000U));
  const double wanted = std::min(grown, static_cast<double>(longest_.count()));
  return std::max(Duration(static_cast<Duration::rep>(wanted)),
                  cost_ * (short_rounds ? kTimesCostAtFirst : kTimesCost));
}

}  // namespace tacho
