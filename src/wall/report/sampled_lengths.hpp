// Sums of times off the CPU, of which the recorder sampled each, or only those in short windows.
#pragma once

#include <cstdint>
#include <map>

#include "wall/report/wall_summary.hpp"

namespace tacho {

// What all those sum up to of which only some were sampled: switches have records, so it is known.
struct KnownSum {
  double ns = 0;
  double times = 0;  // 0: not known
};

class AbsenceSum {
 public:
  // `weight`: how many it stands for; 1: each was sampled. `window`: in which it began.
  void add(std::uint64_t length_ns, double weight, std::uint64_t window);

  AbsenceSum& operator+=(const AbsenceSum& other);

  std::uint64_t exact_ns() const { return exact_ns_; }
  std::uint64_t exact_times() const { return exact_times_; }
  double some_ns() const { return some_ns_; }  // what those with a larger weight stand for
  // The sum with its interval; `whole` are the sampled ones of `all_some`.
  WaitSum sum(const KnownSum& all_some, const AbsenceSum& whole) const;
  // The same if it is not known.
  WaitSum sum() const;

 private:
  WaitSum exact(double scale) const;

  std::uint64_t exact_ns_ = 0, longest_ns_ = 0, exact_times_ = 0;
  double some_times_ = 0;                      // what those with a larger weight stand for
  double some_ns_ = 0, some_squares_ = 0;      // sums of the weighted lengths, and of their squares
  std::map<std::uint64_t, double> by_window_;  // of the weighted lengths
};

}  // namespace tacho
