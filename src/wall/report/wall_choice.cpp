#include "wall/report/wall_choice.hpp"

#include <algorithm>

namespace tacho {
namespace {

// Whether a list of chosen values has this one. An empty list has all.
template <class Values, class Value>
bool fits(const Values& values, const Value& value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

}  // namespace

WallChoice::WallChoice(const SampleChoice& choice)
    : choice_(choice), slices_(disjoint(choice.times)) {}

bool WallChoice::is_of_threads() const {
  return !choice_.commands.empty() || !choice_.processes.empty() || !choice_.threads.empty();
}

bool WallChoice::has(const ThreadTimes& thread) const {
  return fits(choice_.processes, thread.pid) && fits(choice_.threads, thread.tid) &&
         fits(choice_.commands, thread.name);
}

std::optional<std::uint64_t> WallChoice::within(std::uint64_t begin_ns,
                                                std::uint64_t end_ns) const {
  if (slices_.empty()) return end_ns - begin_ns;
  std::optional<std::uint64_t> length;
  auto slice = std::ranges::lower_bound(slices_, begin_ns, {}, &TimeSlice::to_ns);
  for (; slice != slices_.end() && slice->from_ns <= end_ns; ++slice)
    length =
        length.value_or(0) + std::min(slice->to_ns, end_ns) - std::max(slice->from_ns, begin_ns);
  return length;
}

std::vector<TimeSlice> WallChoice::parts(std::uint64_t begin_ns, std::uint64_t end_ns) const {
  std::vector<TimeSlice> parts;
  const auto add = [&](std::uint64_t from_ns, std::uint64_t to_ns) {
    if (from_ns < to_ns) parts.push_back({.from_ns = from_ns, .to_ns = to_ns});
  };
  if (slices_.empty()) add(begin_ns, end_ns);
  for (const TimeSlice& slice : slices_)
    add(std::max(slice.from_ns, begin_ns), std::min(slice.to_ns, end_ns));
  return parts;
}

}  // namespace tacho
