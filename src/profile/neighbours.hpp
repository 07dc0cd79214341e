// Successive samples of one thread. If a program works in phases, they are mostly in the same row,
// and the row's share is known better than from as many independent samples. Memory does not grow
// with the number of samples: above kMost pairs, a random part of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tacho {

class Neighbours {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;  // pairs: 512 KiB

  // The next sample of a thread, at a node of the call tree.
  void add(std::int32_t tid, std::uint32_t node);
  void end(std::int32_t tid);  // the thread has ended: its number may be given again

  // For each of `rows` rows, how often a thread's next sample entered or left it. The first sample
  // of a thread enters its row. If only a part of the pairs was kept, it is the upper limit of a 95
  // % interval.
  std::vector<double> changes(const std::function<std::size_t(std::uint32_t node)>& row_of,
                              std::size_t rows) const;

 private:
  void keep(std::pair<std::uint32_t, std::uint32_t> nodes);

  std::unordered_map<std::int32_t, std::uint32_t> last_;  // node of each thread's last sample
  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept_;
  std::uint64_t pairs_ = 0;
  std::mt19937_64 random_;  // the same in each run: a report can be repeated
};

}  // namespace tacho
