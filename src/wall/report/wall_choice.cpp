#include "wall/report/wall_choice.hpp"

#include <algorithm>

namespace tacho {
WallChoice::WallChoice(const SampleChoice& choice)
    : choice_(choice), times_(disjoint(choice.times)) {}

bool WallChoice::is_of_threads() const {
  return tacho::is_of_threads(choice_);
}

bool WallChoice::has(const ThreadTimes& thread) const {
  return has_thread(choice_, thread.pid, thread.tid, thread.name);
}

std::optional<std::uint64_t> WallChoice::within(std::uint64_t begin_ns,
                                                std::uint64_t end_ns) const {
  if (times_.empty()) return end_ns - begin_ns;
  std::optional<std::uint64_t> length;
  auto time = std::ranges::lower_bound(times_, begin_ns, {}, &TimeSpan::end_ns);
  for (; time != times_.end() && time->begin_ns <= end_ns; ++time)
    length =
        length.value_or(0) + std::min(time->end_ns, end_ns) - std::max(time->begin_ns, begin_ns);
  return length;
}

std::vector<TimeSpan> WallChoice::parts(std::uint64_t begin_ns, std::uint64_t end_ns) const {
  return parts_within(times_, {begin_ns, end_ns});
}

}  // namespace tacho
