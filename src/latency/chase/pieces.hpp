// Pieces of memory, of several lines each: a loop of its own each, until it is joined to those that
// are walked as one.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "latency/chase/draw.hpp"
#include "latency/chase/list.hpp"

namespace tacho::chase {

class Pieces {
 public:
  // Where each line stands, by its number: piece after piece.
  using Place = std::function<Link*(std::size_t)>;

  Pieces(std::size_t lines_each, Place place) : each_(lines_each), place_(std::move(place)) {}

  // A loop through a piece that has not been joined, in random order; any of its lines.
  Link* loop(std::size_t piece);
  // Takes a piece into the common cycle.
  void join(std::size_t piece);

  // The common cycle, which has a piece or more.
  Link* begin() const { return joined_.front(); }
  std::size_t lines() const { return joined_.size(); }
  std::size_t lines_each() const { return each_; }

 private:
  void add(std::vector<Link*>& cycle, std::size_t piece);

  std::size_t each_;
  Place place_;
  std::vector<Link*> joined_;
  Draw draw_;
};

}  // namespace tacho::chase
