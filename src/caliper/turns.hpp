// The turns of an event that takes turns, in constant memory: how much of the reference each
// covered, and what was counted meanwhile. Neighbouring rounds are put together when places run
// out, so that what is kept is always a series from the beginning to now.
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

  // What has to be put together before a round can be added.
  bool has_place(std::uint32_t round) const noexcept { return place_of(round) < kPlaces; }
  void fold() noexcept;
  void clear() noexcept;

  // Where there is a place for the round, which is not below an earlier one.
  void add(std::uint32_t round, std::uint64_t covered, std::uint64_t counted) noexcept {
    if (begun_.get() == 0) begun_.set(std::uint64_t{round} + 1);
    const std::size_t place = place_of(round);
    covered_[place].add(covered);
    counted_[place].add(counted);
  }

  // Adds its turns as periods of a measurement of one set, behind those that are there.
  void add_to(std::vector<Period>& periods) const;

 private:
  std::size_t place_of(std::uint32_t round) const noexcept {
    if (begun_.get() == 0) return 0;
    return static_cast<std::size_t>((std::uint64_t{round} + 1 - begun_.get()) >> folded_.get());
  }

  Cell<std::uint64_t> begun_;   // the first round + 1: it may be far from the thread's; 0: none yet
  Cell<std::uint32_t> folded_;  // 2^n rounds a place
  std::array<Cell<std::uint64_t>, kPlaces> covered_{};
  std::array<Cell<std::uint64_t>, kPlaces> counted_{};
};

// What the periods tell of a whole that had so much of the reference, of which `turning` lay
// between the turns of all sets, while they were turned (whole_reference()). Errors are left alone.
Count estimate(std::vector<Period> periods, std::uint64_t whole_reference, std::uint64_t turning);

}  // namespace tacho::caliper
