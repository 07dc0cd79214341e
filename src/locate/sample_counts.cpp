#include "locate/sample_counts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tacho {
namespace {

template <class Key>
std::vector<std::uint32_t> order_of(const std::vector<SampleCounts::Entry>& entries, Key key) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto key_of = [&](std::uint32_t number) { return key(entries[number]); };
  // One event has its places in order mostly.
  if (!std::ranges::is_sorted(order, {}, key_of)) std::ranges::sort(order, {}, key_of);
  return order;
}

}  // namespace

std::size_t SampleCounts::add(std::size_t event, std::size_t place) {
  const std::size_t number = entries_.size();
  Entry added;
  added.event = static_cast<std::uint32_t>(event);
  added.place = static_cast<std::uint32_t>(place);
  entries_.push_back(added);
  if (place != number)
    others_.number({added.event, added.place, static_cast<std::uint32_t>(number)});
  return number;
}

std::vector<std::uint32_t> SampleCounts::by_event() const {
  return order_of(entries(), [](const Entry& each) { return std::pair(each.event, each.place); });
}

std::vector<std::uint32_t> SampleCounts::by_place() const {
  return order_of(entries(), [](const Entry& each) { return std::pair(each.place, each.event); });
}

}  // namespace tacho
