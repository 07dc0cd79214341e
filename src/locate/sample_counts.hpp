// Counts samples by event and place: a cell, a node of the call tree, or an owner. Memory grows
// with the pairs that have samples. A recording can have thousands of events, each at few places.
#pragma once

#include <cstddef>
#include <cstdint>
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
    bool operator==(const Entry& other) const {
      return event == other.event && place == other.place;
    }
  };

  // The count of this pair, which is 0 at first.
  SampleCount& at(std::size_t event, std::size_t place) {
    return entries_.at(entries_.number(entry(event, place))).count;
  }
  SampleCount of(std::size_t event, std::size_t place) const {
    const auto number = entries_.find(entry(event, place));
    return number ? entries_.values()[*number].count : SampleCount();
  }

  const std::vector<Entry>& entries() const { return entries_.values(); }
  // The numbers of the entries, by event and then place, or by place and then event. Sums of
  // squares are rounded, so the order in which counts are added matters.
  std::vector<std::uint32_t> by_event() const;
  std::vector<std::uint32_t> by_place() const;

 private:
  struct Mix {
    std::uint64_t operator()(const Entry& entry) const { return hashed(entry.event, entry.place); }
  };
  static Entry entry(std::size_t event, std::size_t place) {
    return {static_cast<std::uint32_t>(event), static_cast<std::uint32_t>(place), {}};
  }

  NumberedValues<Entry, Mix> entries_;
};

}  // namespace tacho
