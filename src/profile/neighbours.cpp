#include "profile/neighbours.hpp"

#include <limits>

#include "stats/share.hpp"

namespace tacho {
namespace {

constexpr std::uint32_t kBeginning = std::numeric_limits<std::uint32_t>::max();  // no sample yet

}  // namespace

void Neighbours::add(std::int32_t tid, std::uint32_t node) {
  const auto [last, begins] = last_.try_emplace(tid, node);
  keep({begins ? kBeginning : last->second, node});
  last->second = node;
}

void Neighbours::end(std::int32_t tid) {
  last_.erase(tid);
}

// Each pair is kept with the same probability (J. S. Vitter, Random sampling with a reservoir, ACM
// Transactions on Mathematical Software 11 (1985), algorithm R).
void Neighbours::keep(std::pair<std::uint32_t, std::uint32_t> nodes) {
  ++pairs_;
  if (kept_.size() < kMost) return kept_.push_back(nodes);
  const auto place = std::uniform_int_distribution<std::uint64_t>(0, pairs_ - 1)(random_);
  if (place < kMost) kept_[place] = nodes;
}

std::vector<double> Neighbours::changes(
    const std::function<std::size_t(std::uint32_t node)>& row_of, std::size_t rows) const {
  std::vector<double> counts(rows);
  for (const auto& [from, to] : kept_) {
    const std::size_t entered = row_of(to);
    if (from != kBeginning) {
      const std::size_t left = row_of(from);
      if (left == entered) continue;
      ++counts[left];
    }
    ++counts[entered];
  }
  if (pairs_ == kept_.size()) return counts;
  const auto kept = static_cast<double>(kept_.size());
  for (double& count : counts)
    count = static_cast<double>(pairs_) * wilson95(count / kept, kept).high;
  return counts;
}

}  // namespace tacho
