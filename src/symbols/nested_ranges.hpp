// Finds the innermost of nested ranges of addresses. The ranges are cut into pieces that do not
// overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace tacho::symbols {

class NestedRanges {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Piece {
    std::uint64_t start = 0, end = 0;
    std::size_t range = 0;
  };

  NestedRanges() = default;
  // Takes pieces that do not overlap, by address.
  explicit NestedRanges(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  // `ranges` are sorted by their starts. `start` and `end` are pointers to members: the first
  // address of a range, and one past its last address.
  template <class Ranges, class Start, class End>
  NestedRanges(const Ranges& ranges, Start start, End end) {
    std::vector<std::size_t> open;  // ranges that later ones may be within
    std::uint64_t done = 0;         // the pieces end here so far
    const auto cut_to = [&](std::uint64_t to) {
      for (; !open.empty() && done < to; open.pop_back()) {
        const std::uint64_t until =
            std::min(to, std::uint64_t{std::invoke(end, ranges[open.back()])});
        if (done < until) pieces_.push_back({done, until, open.back()});
        done = std::max(done, until);
        if (done == to) break;  // the range may continue after the next one
      }
      done = to;
    };
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      cut_to(std::invoke(start, ranges[i]));
      open.push_back(i);
    }
    cut_to(std::numeric_limits<std::uint64_t>::max());
  }

  // The index of the last range that contains the address; kNone if there is none.
  std::size_t at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(pieces_, address, {}, &Piece::start);
    if (after == pieces_.begin() || std::prev(after)->end <= address) return kNone;
    return std::prev(after)->range;
  }

 private:
  std::vector<Piece> pieces_;  // by address; at most two for each range
};

}  // namespace tacho::symbols
