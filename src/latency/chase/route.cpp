#include "latency/chase/route.hpp"

#include "latency/chase/steps.hpp"
#include "latency/inference/rules.hpp"

namespace tacho::chase {
namespace {

constexpr const MemoryRules& kRoute = kLatencyRules.memory;

void load(const Link* base, const std::uint32_t* begin, const std::uint32_t* end) {
  for (; begin != end; ++begin) asm volatile("" ::"r"(base[*begin].next));
}

}  // namespace

Route::Route(const List& list, std::size_t most, const Stop& stop) : base_(list.begin()) {
  const std::size_t lines = list.lines() <= most ? list.lines() : 0;
  places_.reserve(lines);
  const Link* at = base_;
  for (std::size_t i = 0; i < lines && (i % kRoute.lines_between_stops != 0 || !stop()); ++i) {
    places_.push_back(static_cast<std::uint32_t>(at - base_));
    at = at->next;
  }
}

Link* Route::recall(Link* at) const {
  if (places_.size() > kRoute.near_lines) return at;
  for (std::size_t left = places_.size(); left != 0; --left) at = Load::step(at);
  return at;
}

Link* Route::refresh(Link* at) {
  if (places_.empty()) return at;
  start_ = (start_ + kRoute.route_stride) % places_.size();
  const std::uint32_t* const first = places_.data();
  load(base_, first + start_, first + places_.size());
  load(base_, first, first + start_);
  return const_cast<Link*>(base_ + places_[start_]);
}

}  // namespace tacho::chase
