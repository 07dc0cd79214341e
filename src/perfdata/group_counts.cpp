#include "perfdata/group_counts.hpp"

namespace tacho::perfdata {

std::optional<std::uint64_t> GroupCounts::since_last(const Reading& reading, std::int32_t tid) {
  const std::pair key(reading.id, tid);
  const auto known = last_.find(key);
  if (known == last_.end()) {
    if (last_.size() >= kMostCounters) return std::nullopt;
    last_.emplace(key, reading.value);
    return reading.value;
  }
  const std::uint64_t before = std::exchange(known->second, reading.value);
  // A thread with the number of a dead one begins at 0.
  return reading.value >= before ? reading.value - before : reading.value;
}

}  // namespace tacho::perfdata
