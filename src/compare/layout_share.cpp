#include "compare/layout_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/normal.hpp"
#include "stats/student.hpp"

namespace tacho {
namespace {

constexpr std::size_t kFewestBlocks = 10;

// The sum of squared differences of successive logarithms, and their number.
struct Spread {
  double squares = 0;
  double count = 0;
  double variance() const { return squares / (2 * count); }
};

void add(Spread& spread, const std::vector<std::optional<double>>& series) {
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (!series[i - 1] || !series[i] || *series[i - 1] <= 0 || *series[i] <= 0) continue;
    spread.squares += std::pow(std::log(*series[i] / *series[i - 1]), 2);
    ++spread.count;
  }
}

}  // namespace

std::optional<Estimated> layout_share(const PairedRuns& runs) {
  Spread shuffled;
  Spread fixed;
  for (std::size_t member = 0; member < runs.members.size(); ++member) {
    const BlockMember::Role role = runs.members[member].role;
    if (role == BlockMember::Role::control) continue;
    add(role == BlockMember::Role::fixed ? fixed : shuffled, runs.series(member, runs.primary));
  }
  if (runs.blocks < kFewestBlocks || fixed.count < 1 || !(shuffled.squares > 0)) return {};
  const double ratio = fixed.variance() / shuffled.variance();
  // The variance of the logarithm of a variance with ν degrees of freedom is about 2 / ν.
  const double error = std::sqrt(2 / freedom_of_differences(fixed.count + 1) +
                                 2 / freedom_of_differences(shuffled.count + 1));
  const double factor = std::exp(kTwoSided95 * error);
  return Estimated{.value = 1 - ratio, .low = 1 - ratio * factor, .high = 1 - ratio / factor};
}

std::string layout_share_text(const PairedRuns& runs, const NumberStyle& style) {
  const auto share = layout_share(runs);
  if (!share) return {};
  const auto percent = [&](double part) {
    return fixed(100 * std::clamp(part, 0.0, 1.0), 0, style);
  };
  return fmt::format("layout: explains {} % of the spread between runs ({} to {} %)\n",
                     percent(share->value), percent(share->low), percent(share->high));
}

}  // namespace tacho
