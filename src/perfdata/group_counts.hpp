// Samples that have counts of events (PERF_SAMPLE_READ): perf's modifier S. The leader of a group
// takes the samples, and each has the counts of all members. Such a sample stands for one of each
// member, which has the count since the last one as its period.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace tacho::perfdata {

// The count of one event in a sample.
struct Reading {
  std::uint64_t id = 0;
  std::uint64_t value = 0;
};

// Turns counts, which only grow, into differences.
class GroupCounts {
 public:
  // Larger numbers of counters are treated as damage.
  static constexpr std::size_t kMostCounters = 1 << 20;

  // The events since the last reading with the same id and `tid`, or since the beginning. Returns
  // nullopt if there are too many counters. The counters of inherited events have one id, and each
  // thread has its own: `tid` tells them apart. It is -1 for other events.
  std::optional<std::uint64_t> since_last(const Reading& reading, std::int32_t tid);

 private:
  std::map<std::pair<std::uint64_t, std::int32_t>, std::uint64_t> last_;  // by id and tid
};

}  // namespace tacho::perfdata
