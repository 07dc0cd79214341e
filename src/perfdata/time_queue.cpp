#include "perfdata/time_queue.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tacho::perfdata {

std::byte* TimeQueue::store(Bytes record) {
  constexpr std::size_t kAlignment = 8;
  const std::size_t size = (record.size() + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || blocks_[filling_].used + size > kBlock) {
    if (!blocks_.empty() && blocks_[filling_].live == 0) free_.push_back(filling_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(kBlock)});
    }
    filling_ = free_.back();
    free_.pop_back();
    blocks_[filling_].used = 0;
  }
  Block& block = blocks_[filling_];
  std::byte* place = block.bytes.get() + block.used;
  std::memcpy(place, record.data(), record.size());
  block.used += size;
  ++block.live;
  return place;
}

void TimeQueue::drop_item_of(std::uint32_t block) {
  if (--blocks_[block].live == 0 && block != filling_) free_.push_back(block);
}

void TimeQueue::add(std::uint64_t time, Bytes record, std::uint64_t offset) {
  if (items_.empty() || time < items_.back().time) runs_.push_back(items_.size());
  const std::byte* bytes = store(record);
  items_.push_back({time, offset, bytes, static_cast<std::uint32_t>(record.size()), filling_});
  latest_ = std::max(latest_, time);

  const std::size_t size =
      (blocks_.size() - free_.size()) * kBlock + 2 * sizeof(Item) * items_.size();
  if (size <= capacity_) return;
  sort();
  release(items_[items_.size() / 2].time);
}

// Merges neighbouring runs until one is left. The records of each buffer are in order already.
void TimeQueue::sort() {
  while (runs_.size() > 1) {
    scratch_.resize(items_.size());
    std::vector<std::size_t> merged;
    for (std::size_t i = 0; i < runs_.size(); i += 2) {
      const auto at = [&](std::size_t run) {
        return items_.begin() +
               static_cast<std::ptrdiff_t>(run < runs_.size() ? runs_[run] : items_.size());
      };
      merged.push_back(runs_[i]);
      std::merge(at(i), at(i + 1), at(i + 1), at(i + 2),
                 scratch_.begin() + static_cast<std::ptrdiff_t>(runs_[i]),
                 [](const Item& a, const Item& b) { return a.time < b.time; });
    }
    items_.swap(scratch_);
    runs_ = std::move(merged);
  }
}

void TimeQueue::release(std::uint64_t until) {
  const auto later = std::ranges::upper_bound(items_, until, {}, &Item::time);
  released_ = static_cast<std::size_t>(later - items_.begin());
}

void TimeQueue::end_round() {
  sort();
  release(round_before_);
  round_before_ = latest_;
}

void TimeQueue::end() {
  sort();
  released_ = items_.size();
}

const TimeQueue::Item* TimeQueue::next() {
  if (at_ > 0) drop_item_of(items_[at_ - 1].block);
  if (at_ < released_) return &items_[at_++];
  if (at_ > 0) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(at_));
    runs_.clear();
    if (!items_.empty()) runs_.push_back(0);
    at_ = released_ = 0;
  }
  return nullptr;
}

}  // namespace tacho::perfdata
