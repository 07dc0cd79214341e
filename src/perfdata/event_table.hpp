// The events of a recording by the ids that its records bear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "perfdata/attr.hpp"
#include "perfdata/sample.hpp"

namespace tacho::perfdata {

class EventTable {
 public:
  // More than any recording has; beyond it, the numbers are damage.
  static constexpr std::size_t kMostEvents = 1 << 14;
  static constexpr std::size_t kMostIds = 1 << 20;

  // False when that would be too many.
  bool add(const Attr& attr, const std::vector<std::uint64_t>& ids);

  bool empty() const { return layouts_.empty(); }
  const SampleLayout& layout(std::size_t event) const { return layouts_[event]; }
  std::optional<std::size_t> find(std::uint64_t id) const;

  // Whose a record is, of its bytes behind the header. Nothing for ids of no event.
  std::optional<std::size_t> event_of_sample(Bytes body, bool swapped) const;
  std::optional<std::size_t> event_of_other(Bytes body, bool swapped) const;
  // An event whose layout has the record's time at the same place as the record's own event:
  // cheaper to find when all are laid out alike.
  std::optional<std::size_t> time_layout(Bytes body, bool sample, bool swapped) const;

 private:
  std::optional<std::size_t> event_of(OptionalU64 id) const;

  std::vector<SampleLayout> layouts_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
  std::size_t ids_ = 0;  // those of several events too
  bool alike_ = true;    // all have time and id at the same places
};

}  // namespace tacho::perfdata
