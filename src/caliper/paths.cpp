#include "caliper/paths.hpp"

#include <utility>

namespace tacho::caliper {

std::uint32_t Paths::child(std::uint32_t parent, std::uint32_t region) noexcept {
  if (parent == kOthers) return kOthers;
  std::uint32_t found = nodes[parent].child;
  while (found != 0 && nodes[found].region != region) found = nodes[found].sibling;
  if (found == 0) {
    if (used == kMost) return kOthers;
    found = used++;
    nodes[found].region = region;
    nodes[found].parent = parent;
    nodes[found].sibling = std::exchange(nodes[parent].child, found);
  }
  nodes[parent].latest = found;
  return found;
}

void Paths::clear() noexcept {
  for (std::uint32_t i = 0; i < used; ++i) {
    nodes[i].executions.set(0);
    nodes[i].ticks.set(0);
    nodes[i].inner.set(0);
  }
}

void PathTotals::leave_out(const Paths& paths) noexcept {
  for (std::uint32_t i = Paths::kOthers; i < paths.used; ++i)
    others_ += paths.nodes[i].executions.get();
}

std::vector<std::uint32_t> PathTotals::places_of(const Paths& paths) {
  constexpr std::uint32_t kNoParent = ~std::uint32_t{0};
  std::vector<std::uint32_t> places(paths.used, kNoParent);
  for (std::uint32_t i = Paths::kOthers + 1; i < paths.used; ++i) {
    const PathNode& node = paths.nodes[i];
    const std::uint32_t parent = places[node.parent];
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    auto at = known_.find({parent, node.region});
    if (at == known_.end()) {
      // If memory runs out behind it, it stays as one without executions, which no report shows.
      nodes_.push_back({.region = node.region, .parent = parent == kNoParent ? next : parent});
      at = known_.emplace(std::pair(parent, node.region), next).first;
    }
    places[i] = at->second;
  }
  return places;
}

void PathTotals::add(const Paths& paths, std::uint64_t cost) {
  const std::vector<std::uint32_t> places = places_of(paths);
  others_ += paths.nodes[Paths::kOthers].executions.get();
  for (std::uint32_t i = Paths::kOthers + 1; i < paths.used; ++i) {
    const PathNode& node = paths.nodes[i];
    Node& sum = nodes_[places[i]];
    const std::uint64_t executions = node.executions.get();
    const double ticks = static_cast<double>(node.ticks.get()) -
                         static_cast<double>(executions) * static_cast<double>(cost);
    sum.executions += executions;
    sum.ticks += ticks;
    sum.own += ticks - static_cast<double>(node.inner.get());
  }
}

}  // namespace tacho::caliper
