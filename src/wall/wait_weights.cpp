#include "wall/wait_weights.hpp"

#include <bit>
#include <cmath>

namespace tacho {
namespace {

struct Sums {
  double all = 0;  // ns
  // Of the sampled ones: their lengths, and what they stand for beyond them at first.
  double own = 0, beyond = 0;
};

}  // namespace

std::uint64_t length_of(const TimeOff& off, PartOff part) {
  return part == PartOff::first ? off.woken_or_end_ns() - off.begin_ns
                                : off.end_ns - off.woken_or_end_ns();
}

WaitWeights::Class WaitWeights::class_of(const TimeOff& off, PartOff part) {
  constexpr int kBits = 2;  // lengths up to four times as long are alike
  const bool ready = part == PartOff::woken || off.state == ThreadState::ready;
  return {ready, std::bit_width(length_of(off, part)) / kBits};
}

WaitWeights::WaitWeights(std::span<const TimeOff> absences,
                         const std::function<double(const TimeOff&)>& base)
    : is_known_(true) {
  std::map<Stratum, Sums> strata;
  for (const TimeOff& off : absences) {
    const double weight = base(off);
    if (off.state == ThreadState::unknown || weight == 1) continue;
    for (const PartOff part : {PartOff::first, PartOff::woken}) {
      const auto length = static_cast<double>(length_of(off, part));
      if (length == 0) continue;
      Sums& sums = strata[stratum_of(off, part)];
      sums.all += length;
      if (!off.sampled) continue;
      sums.own += length;
      sums.beyond += (weight - 1) * length;
    }
  }
  std::map<Class, Sums> classes;
  for (const auto& [stratum, sums] : strata) {
    Sums& of_class = classes[std::get<Class>(stratum)];
    of_class.all += sums.all;
    if (sums.own == 0) continue;
    factors_[stratum] = (sums.all - sums.own) / sums.beyond;
    of_class.own += sums.all;
  }
  for (const auto& [of_class, sums] : classes)
    if (sums.own > 0) of_others_[of_class] = sums.all / sums.own;
}

double WaitWeights::of(const TimeOff& off, PartOff part, double base) const {
  if (base == 1 || !is_known_) return base;
  const auto factor = factors_.find(stratum_of(off, part));
  const auto others = of_others_.find(class_of(off, part));
  if (factor == factors_.end() || others == of_others_.end()) return base;
  const double weight = (1 + (base - 1) * factor->second) * others->second;
  constexpr double kRounding = 1e-9;
  return std::abs(weight - 1) < kRounding ? 1 : weight;
}

bool WaitWeights::is_alone(const TimeOff& off, PartOff part) const {
  return is_known_ && !of_others_.contains(class_of(off, part));
}

}  // namespace tacho
