// Counts samples by event and place: a cell, a node of the call tree, or an owner. Memory grows
// with the pairs that have samples. A recording can have thousands of events, each at few places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash_seed.hpp"
#include "locate/numbered_values.hpp"
#include "locate/sample_count.hpp"

namespace tacho {

class SampleCounts {
 public:
  struct Entry {
    std::uint32_t event = 0, place = 0;
    SampleCount count;
  };

  // The count of this pair, which is 0 at first.
  SampleCount& at(std::size_t event, std::size_t place) {
    const auto known = number_of(event, place);
    return entries_[known ? *known : add(event, place)].count;
  }
  SampleCount of(std::size_t event, std::size_t place) const {
    const auto known = number_of(event, place);
    return known ? entries_[*known].count : SampleCount();
  }

  // Prefetches the count of a place that is likely to have one. See NumberedValues::ask_for().
  [[gnu::always_inline]] void ask_for(std::size_t place) const {
    if (place < entries_.size()) __builtin_prefetch(&entries_[place]);
  }

  const std::vector<Entry>& entries() const { return entries_; }
  // The numbers of the entries, by event and then place, or by place and then event. Sums of
  // squares are rounded, so the order in which counts are added matters.
  std::vector<std::uint32_t> by_event() const;
  std::vector<std::uint32_t> by_place() const;

 private:
  // The number of an entry that is not that of its place.
  struct Number {
    std::uint32_t event = 0, place = 0, number = 0;
    bool operator==(const Number& other) const {
      return event == other.event && place == other.place;
    }
  };
  struct Mix {
    std::uint64_t operator()(const Number& of) const { return hashed(of.event, of.place); }
  };

  // With one event, places come in the order of their numbers, so that each entry has the number of
  // its place and nothing is looked up.
  std::optional<std::size_t> number_of(std::size_t event, std::size_t place) const {
    if (place < entries_.size() && entries_[place].event == event && entries_[place].place == place)
      return place;
    const Number asked{static_cast<std::uint32_t>(event), static_cast<std::uint32_t>(place)};
    const auto found = others_.find(asked);
    if (!found) return std::nullopt;
    return others_.values()[*found].number;
  }
  std::size_t add(std::size_t event, std::size_t place);

  std::vector<Entry> entries_;
  NumberedValues<Number, Mix> others_;
};

}  // namespace tacho
