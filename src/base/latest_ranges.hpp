// Ranges of addresses, of which a later one replaces what it covers of the earlier ones.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace tacho {

template <class Value>
class LatestRanges {
 public:
  struct Piece {
    std::uint64_t end = 0;  // one past the last address
    Value value{};
  };

  // Adds the addresses from `start` to the one before `end`. Ignores an empty range.
  void put(std::uint64_t start, std::uint64_t end, Value value) {
    if (start >= end) return;
    auto at = pieces_.upper_bound(start);
    if (at != pieces_.begin() && std::prev(at)->second.end > start) {
      const auto before = std::prev(at);
      const Piece old = before->second;
      before->second.end = start;
      if (before->first == start) pieces_.erase(before);
      if (old.end > end) pieces_[end] = old;
    }
    at = pieces_.lower_bound(start);
    while (at != pieces_.end() && at->first < end) {
      const Piece old = at->second;
      at = pieces_.erase(at);
      if (old.end > end) pieces_[end] = old;
    }
    pieces_[start] = {end, value};
  }

  // The value of the last range that contains the address; nullptr if there is none.
  const Value* at(std::uint64_t address) const {
    const auto after = pieces_.upper_bound(address);
    if (after == pieces_.begin() || std::prev(after)->second.end <= address) return nullptr;
    return &std::prev(after)->second.value;
  }

  // The pieces that are left, by their start.
  const std::map<std::uint64_t, Piece>& pieces() const { return pieces_; }

 private:
  std::map<std::uint64_t, Piece> pieces_;
};

}  // namespace tacho
