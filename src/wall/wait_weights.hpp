// How much each sampled time off the CPU stands for, where the recorder sampled only some switches.
// The lengths of all others are known, but not their places.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "wall/thread_states.hpp"

namespace tacho {

// The two parts of a time off the CPU: until its wake-up or its end, and from then on.
enum class PartOff : std::uint8_t { first, woken };

// A sampled one first stands for all switches of its window (`base`). Then these weights are set
// right, so that those of one thread in one state with about the same length add up to the known
// sum (poststratification: W. G. Cochran, Sampling Techniques, 3rd ed., 5A.9). Each stands for at
// least itself, and a long one for little more. Where a thread has no sampled one of about this
// length, those of other threads stand for it.
class WaitWeights {
 public:
  WaitWeights() = default;  // the weights remain `base`
  // `base`: 1 if each switch around it was sampled.
  WaitWeights(std::span<const TimeOff> absences, const std::function<double(const TimeOff&)>& base);

  // The weight of a sampled one; 1 if `base` is 1.
  double of(const TimeOff& off, PartOff part, double base) const;
  // Whether no other one stands for this one, if it has no sample: its place is not known.
  bool is_alone(const TimeOff& off, PartOff part) const;

 private:
  using Class = std::pair<bool, int>;  // ready, and the size of the length
  using Stratum = std::tuple<std::int32_t, std::int32_t, Class>;  // of a process and thread
  static Class class_of(const TimeOff& off, PartOff part);
  static Stratum stratum_of(const TimeOff& off, PartOff part) {
    return {off.pid, off.tid, class_of(off, part)};
  }

  bool is_known_ = false;
  // Of strata with a sampled one: what each stands for beyond itself, as a part of that at first.
  std::map<Stratum, double> factors_;
  std::map<Class, double> of_others_;  // factors for what strata without one have
};

std::uint64_t length_of(const TimeOff& off, PartOff part);

}  // namespace tacho
