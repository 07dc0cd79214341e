#include "latency/chase/filling.hpp"

#include <algorithm>
#include <deque>

#include "stats/quantile.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kAtOnce = 16;  // pieces, while there is much room
// Times what a load takes that finds its line. Of one line too many in a set that takes any line
// when it needs room, each load misses once in eight traversals, of 16 ways; and what is missed
// takes twice as long at least.
constexpr double kNotFound = 1.06;
// Refused one after the other: of 32 kinds of pieces, one in twenty times the last kind that
// has room is not among them. While several are tried at once, a few are enough to try fewer.
constexpr std::size_t kRefusals = 96;
constexpr std::size_t kFewRefusals = 32;

}  // namespace

Filled fill(const Ground& ground, std::size_t given, const Stop& stop) {
  std::deque<std::size_t> waiting;
  for (std::size_t piece = 0; piece < ground.pieces; ++piece)
    if (piece < given)
      ground.take_in(piece);
    else
      waiting.push_back(piece);
  Filled filled{std::min(given, ground.pieces), false};
  std::vector<double> found;  // of those that found room
  // Two pieces that are tried together may stand in each other's way: so ever fewer are.
  for (std::size_t at_once = kAtOnce; at_once != 0; at_once /= 2) {
    const std::size_t enough = at_once == 1 ? kRefusals : kFewRefusals;
    for (std::size_t refused = 0; refused < enough;) {
      if (stop() || waiting.size() < at_once) return filled;
      const std::vector<std::size_t> tried(waiting.begin(),
                                           waiting.begin() + static_cast<std::ptrdiff_t>(at_once));
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(at_once));
      std::vector<double> taken = ground.revisit(tried);
      const double usual = median(found.empty() ? taken : found);
      for (std::size_t i = 0; i < tried.size(); ++i) {
        if (taken[i] > kNotFound * usual) {
          ++refused;
          waiting.push_back(tried[i]);
          continue;
        }
        refused = 0;
        found.push_back(taken[i]);
        ground.take_in(tried[i]);
        ++filled.pieces;
      }
    }
  }
  filled.full = true;
  if (!found.empty()) filled.taken = median(found);
  return filled;
}

}  // namespace tacho::chase
