#include "blocks/branch_counts.hpp"

#include <algorithm>

#include "base/hash_seed.hpp"

namespace tacho {
namespace {

constexpr int kValueShift = 48;
constexpr std::uint64_t kCount = (std::uint64_t{1} << kValueShift) - 1;

// Most distinct steps, and one more for so many entries. A step takes up to 550 bytes with its run
// and its branch, and an entry has 24 bytes in the recording.
constexpr std::size_t kAlwaysAllowedSteps = std::size_t{1} << 18;
constexpr std::uint64_t kEntriesOfAStep = 24;

}  // namespace

void CycleCounts::add(std::uint16_t cycles) {
  const std::uint64_t least = std::uint64_t{cycles} << kValueShift;
  std::uint64_t* const end = bins_.get() + size_;
  std::uint64_t* at = std::lower_bound(bins_.get(), end, least);
  if (at != end && *at >> kValueShift == cycles) {
    ++*at;
    return;
  }
  const std::ptrdiff_t place = at - bins_.get();
  if (size_ == capacity_) {
    capacity_ = capacity_ == 0 ? 2 : capacity_ + capacity_ / 2;
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity_);
    std::ranges::copy(bins(), larger.get());
    bins_ = std::move(larger);
  }
  at = bins_.get() + place;
  std::copy_backward(at, bins_.get() + size_, bins_.get() + size_ + 1);
  *at = least + 1;
  ++size_;
}

void CycleCounts::add_to(Histogram& histogram) const {
  for (const std::uint64_t bin : bins()) histogram.add(bin >> kValueShift, bin & kCount);
}

std::uint64_t CycleCounts::total() const {
  std::uint64_t total = 0;
  for (const std::uint64_t bin : bins()) total += bin & kCount;
  return total;
}

std::uint64_t CycleCounts::sum() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t bin : bins()) sum += (bin >> kValueShift) * (bin & kCount);
  return sum;
}

std::uint64_t BranchCounts::Mix::operator()(const BranchKey& step) const {
  const std::uint64_t kind = std::uint64_t{step.range} << 1 | (step.timed ? 1 : 0);
  return mixed(hashed(step.start, step.from) ^ (step.to * 0x9e3779b97f4a7c15U + kind));
}

void StackBatch::end_stack() {
  for (std::size_t i = ends_.empty() ? 0 : ends_.back(); i < entries_.size(); ++i)
    entries_[i].hash = BranchCounts::Mix()(entries_[i].key);
  ends_.push_back(entries_.size());
}

std::uint64_t StackBatch::remove_unknown(const std::function<bool(const Entry&)>& known) {
  StackBatch left;
  std::size_t from = 0;
  for (const std::size_t end : ends_) {
    const auto stack = std::span(entries_).subspan(from, end - from);
    from = end;
    if (!std::ranges::all_of(stack, known)) continue;
    left.entries_.insert(left.entries_.end(), stack.begin(), stack.end());
    left.ends_.push_back(left.entries_.size());
  }
  const std::uint64_t removed = ends_.size() - left.ends_.size();
  *this = std::move(left);
  return removed;
}

void StackBatch::clear() {
  entries_.clear();
  ends_.clear();
}

void BranchCounts::count(StackBatch& batch) {
  entries_ += batch.entries().size();
  if (steps().size() >= kAlwaysAllowedSteps + entries_ / kEntriesOfAStep)
    left_out_ += batch.remove_unknown([this](const StackBatch::Entry& entry) {
      return steps_.find(BranchStep(entry.key)).has_value();
    });
  find(batch.entries());
  std::size_t from = 0;
  for (const std::size_t end : batch.ends()) {
    keep(std::span(found_).subspan(from, end - from));
    from = end;
  }
}

// Stacks come from the whole program, so their counts are in no cache. Therefore each entry passes
// through four stages, kAhead entries apart. Each stage prefetches the memory that the next one
// needs.
void BranchCounts::find(std::span<const StackBatch::Entry> entries) {
  found_.resize(entries.size());
  // The index of the entry in a stage. Before the stage has begun, the unsigned difference wraps to
  // a number beyond the last entry.
  const auto in_stage = [](std::size_t at, std::size_t stage) { return at - stage * kAhead; };
  for (std::size_t at = 0; at < entries.size() + 3 * kAhead; ++at) {
    if (at < entries.size()) steps_.ask_for(entries[at].hash);
    if (const std::size_t i = in_stage(at, 1); i < entries.size())
      steps_.ask_for_likely(entries[i].hash);
    if (const std::size_t i = in_stage(at, 2); i < entries.size()) {
      found_[i] = {steps_.number(entries[i].key, entries[i].hash), entries[i].cycles,
                   entries[i].mispredicted, entries[i].has_prediction};
      steps_.at(found_[i].step).cycles.ask_for();
    }
    if (const std::size_t i = in_stage(at, 3); i < entries.size()) {
      BranchStep& step = steps_.at(found_[i].step);
      if (entries[i].mispredicted) ++step.mispredicted;
      if (entries[i].has_prediction) ++step.with_prediction;
      step.cycles.add(entries[i].cycles);
    }
  }
}

// Keeps each of n stacks with the same probability (J. S. Vitter, Random sampling with a reservoir,
// ACM TOMS 11 (1985), algorithm R). The seed is fixed: a recording always gives the same stacks.
void BranchCounts::keep(std::span<const KeptEntry> newest_first) {
  ++stacks_;
  std::vector<KeptEntry>* place = nullptr;
  if (kept_stacks_.size() < kMostKeptStacks) {
    place = &kept_stacks_.emplace_back();
  } else {
    random_ += 0x9e3779b97f4a7c15U;
    const std::uint64_t drawn = mixed(random_) % stacks_;
    if (drawn < kMostKeptStacks) place = &kept_stacks_[static_cast<std::size_t>(drawn)];
  }
  if (place != nullptr) place->assign(newest_first.rbegin(), newest_first.rend());
}

}  // namespace tacho
