// Groups of cache lines, such as pages. Each is a cycle of its own until it joins the common cycle.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "latency/chase/list.hpp"
#include "latency/chase/random_draw.hpp"

namespace tacho::chase {

class LineGroups {
 public:
  // Where a line is in memory, by its number: group after group.
  using Place = std::function<Link*(std::size_t)>;

  LineGroups(std::size_t lines_each, Place place) : each_(lines_each), place_(std::move(place)) {}

  // Makes a group that has not joined a cycle of its own, in random order. Returns one of its
  // lines.
  Link* cycle_of(std::size_t group);
  // Makes a group a part of the common cycle.
  void join(std::size_t group);

  // The common cycle, which needs a group.
  Link* begin() const { return joined_.front(); }
  std::size_t lines() const { return joined_.size(); }
  std::size_t lines_each() const { return each_; }

 private:
  void add(std::vector<Link*>& cycle, std::size_t group);

  std::size_t each_;
  Place place_;
  std::vector<Link*> joined_;
  RandomDraw draw_;
};

}  // namespace tacho::chase
