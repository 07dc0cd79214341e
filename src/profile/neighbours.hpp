// Successive samples of one thread. If a program works in phases, they are mostly in the same row,
// and the row's share is known better than from as many independent samples. Memory does not grow
// with the number of samples: above kMost pairs, a random part of them is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"

namespace tacho {

class Neighbours {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;  // pairs: 512 KiB

  // The next sample of a thread, at a node of the call tree. If it is later than `longest_ns` after
  // the thread's last one, samples may be missing between them: the thread left its row then, and
  // entered it again.
  void add(std::int32_t tid, std::uint32_t node, std::uint64_t time_ns, std::uint64_t longest_ns);
  void end(std::int32_t tid);  // the thread has ended: its number may be given again

  // The row of a node. A number that is no row means that the node is in none.
  using RowOf = std::function<std::size_t(std::uint32_t node)>;
  // Appends the rows that a node is in, each once.
  using RowsOf = std::function<void(std::uint32_t node, std::vector<std::size_t>& rows)>;

  // For each of `rows` rows, how often a thread's next sample entered or left it. The first sample
  // of a thread enters its row. If only a part of the pairs was kept, it is the upper limit of a 95
  // % interval. That holds for exchanges(), too.
  std::vector<double> changes(const RowOf& row_of, std::size_t rows) const;
  // The same, if a sample can be in several rows.
  std::vector<double> changes_of_each(const RowsOf& rows_of, std::size_t rows) const;
  // For each of these pairs of rows, how often a thread's next sample went from one to the other.
  std::vector<double> exchanges(const RowOf& row_of,
                                std::span<const std::pair<std::size_t, std::size_t>> pairs) const;

 private:
  struct Last {
    std::uint32_t node = 0;
    std::uint64_t time_ns = 0;
  };

  void keep(std::pair<std::uint32_t, std::uint32_t> nodes);
  void draw_next();
  std::vector<double> of_all_pairs(std::vector<double> counts) const;  // of the kept ones

  std::unordered_map<std::int32_t, Last, NumberHash> last_;  // sample of each thread
  std::vector<std::pair<std::uint32_t, std::uint32_t>> kept_;
  std::uint64_t pairs_ = 0;
  std::uint64_t next_ = 0;  // the number of the next pair to be kept
  double largest_ = 1;      // of the random numbers that the kept pairs would have (algorithm L)
  std::mt19937_64 random_;  // the same in each run: a report can be repeated
};

}  // namespace tacho
