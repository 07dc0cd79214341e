#include "perfdata/event_table.hpp"

namespace tacho::perfdata {

bool EventTable::add(const Attr& attr, const std::vector<std::uint64_t>& ids) {
  if (layouts_.size() >= kMostEvents || ids.size() > kMostIds - ids_) return false;
  ids_ += ids.size();
  const std::size_t event = layouts_.size();
  layouts_.emplace_back(attr);
  alike_ = alike_ && layouts_.back().same_places(layouts_.front());
  for (const std::uint64_t id : ids) by_id_.try_emplace(id, event);
  return true;
}

std::optional<std::size_t> EventTable::find(std::uint64_t id) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

// A recording with a single event needs no ids. Records that perf itself adds have the id 0.
std::optional<std::size_t> EventTable::event_of(OptionalU64 id) const {
  if (layouts_.empty()) return std::nullopt;
  if (layouts_.size() == 1 || !id || *id == 0) return 0;
  return find(*id);
}

std::optional<std::size_t> EventTable::event_of_sample(Bytes body, bool swapped) const {
  if (layouts_.size() <= 1) return event_of(std::nullopt);
  return event_of(layouts_.front().id_of_sample(body, swapped));
}

std::optional<std::size_t> EventTable::event_of_other(Bytes body, bool swapped) const {
  if (layouts_.size() <= 1) return event_of(std::nullopt);
  return event_of(layouts_.front().id_of_other(body, swapped));
}

std::optional<std::size_t> EventTable::time_layout(Bytes body, bool sample, bool swapped) const {
  if (alike_) return event_of(std::nullopt);
  return sample ? event_of_sample(body, swapped) : event_of_other(body, swapped);
}

}  // namespace tacho::perfdata
