// A stretch of time, and the parts of it that lie in others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacho {

struct TimeSpan {
  std::uint64_t begin_ns = 0, end_ns = 0;
  std::uint64_t length_ns() const { return end_ns - begin_ns; }
};

// The parts of `whole` that lie in `spans`, in order; all of it if there are none. Each has a
// length. `spans` are in order, and none overlaps the next.
inline std::vector<TimeSpan> parts_within(std::span<const TimeSpan> spans, TimeSpan whole) {
  std::vector<TimeSpan> parts;
  const auto add = [&](TimeSpan part) {
    if (part.begin_ns < part.end_ns) parts.push_back(part);
  };
  if (spans.empty()) add(whole);
  auto at = std::ranges::lower_bound(spans, whole.begin_ns, {}, &TimeSpan::end_ns);
  for (; at != spans.end() && at->begin_ns < whole.end_ns; ++at)
    add({std::max(at->begin_ns, whole.begin_ns), std::min(at->end_ns, whole.end_ns)});
  return parts;
}

}  // namespace tacho
