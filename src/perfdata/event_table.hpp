// Finds the event that a record belongs to, by the id in the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/hash_seed.hpp"
#include "perfdata/attr.hpp"
#include "perfdata/sample.hpp"

namespace tacho::perfdata {

class EventTable {
 public:
  // Larger counts are treated as damage: no recording has that many.
  static constexpr std::size_t kMostEvents = 1 << 14;
  static constexpr std::size_t kMostIds = 1 << 20;

  // Returns false if there would be more events or ids than these limits.
  bool add(const Attr& attr, const std::vector<std::uint64_t>& ids);

  bool empty() const { return layouts_.empty(); }
  const SampleLayout& layout(std::size_t event) const { return layouts_[event]; }
  std::optional<std::size_t> find(std::uint64_t id) const;

  // The event of a sample and of another record, given the bytes after the record's header. Returns
  // nullopt if no event has the id.
  std::optional<std::size_t> event_of_sample(Bytes body, bool swapped) const;
  std::optional<std::size_t> event_of_other(Bytes body, bool swapped) const;
  // An event whose layout has the time at the same place as the record's own event. This is cheaper
  // to find than the own event if all layouts are alike.
  std::optional<std::size_t> time_layout(Bytes body, bool sample, bool swapped) const;

 private:
  std::optional<std::size_t> event_of(OptionalU64 id) const;

  std::vector<SampleLayout> layouts_;
  std::unordered_map<std::uint64_t, std::size_t, NumberHash> by_id_;
  std::size_t ids_ = 0;  // number of ids; an id of several events counts several times
  bool alike_ = true;    // all layouts have time and id at the same places
};

}  // namespace tacho::perfdata
