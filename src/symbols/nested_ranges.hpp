// Ranges of addresses that may stand within each other, cut into pieces that do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

namespace tacho::symbols {

class NestedRanges {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  NestedRanges() = default;
  // Of ranges in the order of their starts: the members that tell where one begins, and the first
  // address behind it.
  template <class Ranges, class Start, class End>
  NestedRanges(const Ranges& ranges, Start start, End end) {
    std::vector<std::size_t> open;  // which those behind may stand within
    std::uint64_t done = 0;         // the pieces reach to here
    const auto cut_to = [&](std::uint64_t to) {
      for (; !open.empty() && done < to; open.pop_back()) {
        const std::uint64_t until =
            std::min(to, std::uint64_t{std::invoke(end, ranges[open.back()])});
        if (done < until) pieces_.push_back({done, until, open.back()});
        done = std::max(done, until);
        if (done == to) break;  // it may go on behind the next
      }
      done = to;
    };
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      cut_to(std::invoke(start, ranges[i]));
      open.push_back(i);
    }
    cut_to(std::numeric_limits<std::uint64_t>::max());
  }

  // The position of the last range that holds the address; kNone when none does.
  std::size_t at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(pieces_, address, {}, &Piece::start);
    if (after == pieces_.begin() || std::prev(after)->end <= address) return kNone;
    return std::prev(after)->range;
  }

 private:
  struct Piece {
    std::uint64_t start = 0, end = 0;
    std::size_t range = 0;
  };
  std::vector<Piece> pieces_;  // at most two for each range, by address
};

}  // namespace tacho::symbols
