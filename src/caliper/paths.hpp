// Paths: how regions were nested, with the time of each call path. A thread has a tree of its own;
// reports add the trees up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "caliper/record.hpp"

namespace tacho::caliper {

// A region that was executed inside the regions of its parents.
struct PathNode {
  std::uint32_t region = 0;
  std::uint32_t parent = 0;
  std::uint32_t child = 0;    // the first one, or 0
  std::uint32_t sibling = 0;  // the next one of the same parent, or 0
  std::uint32_t latest = 0;   // the child that began last, or 0
  Count64 executions;
  Count64 ticks;  // the cost of what is inside is subtracted, the cost of the region itself is not
  Count64 inner;  // the ticks of its regions inside, without their cost
};

// The tree of one thread. Node 0 is outside of all regions. Node 1 has the executions for which no
// node is left.
struct Paths {
  static constexpr std::uint32_t kMost = 1024;
  static constexpr std::uint32_t kOthers = 1;

  std::array<PathNode, kMost> nodes{};
  std::uint32_t used = 2;

  // The node of `region` below `parent`, if it was the last one that began there; else 0.
  std::uint32_t latest_child(std::uint32_t parent, std::uint32_t region) const noexcept {
    const std::uint32_t latest = nodes[parent].latest;
    return nodes[latest].region == region ? latest : 0;
  }
  // The same whichever began last. Makes the node if there is none. No report may read the tree
  // meanwhile.
  std::uint32_t child(std::uint32_t parent, std::uint32_t region) noexcept;
  // Forgets what was measured. The nodes stay, because executions may be running.
  void clear() noexcept;
};

// The trees of several threads, put together.
class PathTotals {
 public:
  struct Node {
    std::uint32_t region = 0;
    std::uint32_t parent = 0;  // index in nodes(); that of the node itself if it has no parent
    std::uint64_t executions = 0;
    double ticks = 0;  // the cost is subtracted
    double own = 0;    // without those of the regions inside
  };

  // `cost` is that of an execution. If memory runs out, it throws std::bad_alloc and adds nothing.
  void add(const Paths& paths, std::uint64_t cost);
  // Counts its executions as others(), because memory ran out.
  void leave_out(const Paths& paths) noexcept;
  const std::vector<Node>& nodes() const noexcept { return nodes_; }
  // Executions that are in none of the nodes.
  std::uint64_t others() const noexcept { return others_; }

 private:
  // Of the thread's nodes in nodes_, where it makes those that are new.
  std::vector<std::uint32_t> places_of(const Paths& paths);

  std::vector<Node> nodes_;                                                 // parents first
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;  // by parent and region
  std::uint64_t others_ = 0;
};

}  // namespace tacho::caliper
