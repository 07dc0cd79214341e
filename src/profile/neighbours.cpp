#include "profile/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/share.hpp"

namespace tacho {
namespace {

constexpr std::uint32_t kOutside = std::numeric_limits<std::uint32_t>::max();  // in no row

}  // namespace

void Neighbours::add(std::int32_t tid, std::uint32_t node, std::uint64_t time_ns,
                     std::uint64_t longest_ns) {
  const auto [last, begins] = last_.try_emplace(tid);
  const bool apart = begins || time_ns - std::min(last->second.time_ns, time_ns) > longest_ns;
  if (apart && !begins) keep({last->second.node, kOutside});
  keep({apart ? kOutside : last->second.node, node});
  last->second = {node, time_ns};
}

void Neighbours::end(std::int32_t tid) {
  last_.erase(tid);
}

// Each pair is kept with the same probability (K.-H. Li, Reservoir-sampling algorithms of time
// complexity O(n (1 + log (N / n))), ACM Transactions on Mathematical Software 20 (1994), algorithm
// L): most pairs cost only a comparison.
void Neighbours::keep(std::pair<std::uint32_t, std::uint32_t> nodes) {
  ++pairs_;
  if (kept_.size() < kMost) {
    kept_.push_back(nodes);
    if (kept_.size() == kMost) draw_next();
  } else if (pairs_ == next_) {
    kept_[std::uniform_int_distribution<std::size_t>(0, kMost - 1)(random_)] = nodes;
    draw_next();
  }
}

void Neighbours::draw_next() {
  const auto draw = [this] { return 1 - std::uniform_real_distribution<>()(random_); };  // not 0
  largest_ *= std::exp(std::log(draw()) / kMost);
  next_ = pairs_ + 1 + static_cast<std::uint64_t>(std::log(draw()) / std::log1p(-largest_));
}

std::vector<double> Neighbours::of_all_pairs(std::vector<double> counts) const {
  if (pairs_ == kept_.size()) return counts;
  const auto kept = static_cast<double>(kept_.size());
  for (double& count : counts)
    count = static_cast<double>(pairs_) * wilson95(count / kept, kept).high;
  return counts;
}

std::vector<double> Neighbours::changes(const RowOf& row_of, std::size_t rows) const {
  std::vector<double> counts(rows);
  for (const auto& [from, to] : kept_) {
    const std::size_t left = from == kOutside ? rows : row_of(from);
    const std::size_t entered = to == kOutside ? rows : row_of(to);
    if (left == entered) continue;
    if (left < rows) ++counts[left];
    if (entered < rows) ++counts[entered];
  }
  return of_all_pairs(std::move(counts));
}

std::vector<double> Neighbours::changes_of_each(const RowsOf& rows_of, std::size_t rows) const {
  std::vector<double> counts(rows);
  std::vector<bool> only_left(rows);
  std::vector<std::size_t> left, entered;
  for (const auto& [from, to] : kept_) {
    if (from == to) continue;
    left.clear();
    entered.clear();
    if (from != kOutside) rows_of(from, left);
    if (to != kOutside) rows_of(to, entered);
    for (const std::size_t row : left) only_left[row] = true;
    for (const std::size_t row : entered) {
      if (!only_left[row]) ++counts[row];
      only_left[row] = false;
    }
    for (const std::size_t row : left) {
      if (only_left[row]) ++counts[row];
      only_left[row] = false;
    }
  }
  return of_all_pairs(std::move(counts));
}

std::vector<double> Neighbours::exchanges(
    const RowOf& row_of, std::span<const std::pair<std::size_t, std::size_t>> pairs) const {
  std::vector<double> counts(pairs.size());
  for (const auto& [from, to] : kept_) {
    if (from == kOutside || to == kOutside) continue;
    const auto [less, more] = std::minmax({row_of(from), row_of(to)});
    if (less == more) continue;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [a, b] = pairs[i];
      if (less == std::min(a, b) && more == std::max(a, b)) ++counts[i];
    }
  }
  return of_all_pairs(std::move(counts));
}

}  // namespace tacho
