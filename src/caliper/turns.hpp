// TurnSeries: the turns of one event in constant memory. For each turn it has the count, and the
// reference that the turn covered. When no place is left, neighbouring rounds are added together,
// so the series always covers the whole time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "caliper/sketch.hpp"
#include "stats/measurement.hpp"
#include "tacho/counters.hpp"

namespace tacho::caliper {

class TurnSeries {
 public:
  static constexpr std::size_t kPlaces = 64;

  // If there is no place for the round, call fold(), which adds neighbouring rounds together.
  bool has_place(std::uint32_t round) const noexcept { return place_of(round) < kPlaces; }
  void fold() noexcept;
  void clear() noexcept;

  // There must be a place for the round. It must not be less than the round of an earlier call.
  void add(std::uint32_t round, std::uint64_t covered, std::uint64_t counted) noexcept {
    if (begun_.get() == 0) begun_.set(std::uint64_t{round} + 1);
    const std::size_t place = place_of(round);
    covered_[place].add(covered);
    counted_[place].add(counted);
  }

  // Appends the turns as periods of a measurement with one set.
  void add_to(std::vector<Period>& periods) const;

 private:
  std::size_t place_of(std::uint32_t round) const noexcept {
    if (begun_.get() == 0) return 0;
    return static_cast<std::size_t>((std::uint64_t{round} + 1 - begun_.get()) >> folded_.get());
  }

  Cell<std::uint64_t> begun_;   // the first round + 1, or 0 if there is none yet
  Cell<std::uint32_t> folded_;  // a place has 2^folded_ rounds
  std::array<Cell<std::uint64_t>, kPlaces> covered_{};
  std::array<Cell<std::uint64_t>, kPlaces> counted_{};
};

// Estimates the count of a whole from the periods of one set. `whole_reference` is the reference of
// the whole. `turning` is the part of it during changes between sets. There is no interval from
// fewer than kFewestTurns turns. If a burst falls into a turn of another set, the interval does not
// know of it. Count::error is not set.
Count estimate(std::vector<Period> periods, std::uint64_t whole_reference, std::uint64_t turning);

}  // namespace tacho::caliper
